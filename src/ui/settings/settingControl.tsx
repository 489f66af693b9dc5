/** The control of a setting: what its schema and its name ask for. */
import * as React from 'react';
import { EVALUATOR_NAMES } from '../../core/domain/evaluators';
import { FEEDBACK_NAMES } from '../../core/feedback/names';
import { PROMPT_SLOTS } from '../../core/text/template';
import { CheckList } from './checkList';
import { Label, TextInput, type ControlProps } from './controlParts';
import { ModelInput } from './modelInput';
import { isNumeric, readLines, readNumber, readText } from './settingValue';

const MODELS: readonly string[] = [
  'generatorModel',
  'evaluatorModel',
  'strongerModel'
];

export function SettingControl(props: ControlProps): JSX.Element {
  const { name, schema, value, services, onRead } = props;
  const { trans } = services;
  if (schema.type === 'boolean') {
    return <Switch {...props} />;
  }
  if (schema.enum) {
    return <Choice {...props} options={schema.enum.map(String)} />;
  }
  if (name === 'feedback') {
    return (
      <Choice
        {...props}
        options={[...FEEDBACK_NAMES, ...services.added().feedback]}
      />
    );
  }
  if (name === 'evaluators') {
    return (
      <CheckList
        {...props}
        options={[...EVALUATOR_NAMES, ...services.added().evaluators]}
      />
    );
  }
  if (MODELS.includes(name)) {
    return <ModelInput {...props} />;
  }
  if (isNumeric(schema)) {
    return (
      <Label {...props}>
        <TextInput
          {...props}
          numeric
          text={value === null ? '' : String(value)}
          onText={text => onRead(readNumber(text, schema, trans))}
        />
      </Label>
    );
  }
  const lines = Array.isArray(value);
  return (
    <Label {...props}>
      <TextInput
        {...props}
        rows={lines ? 3 : name in PROMPT_SLOTS ? 6 : undefined}
        placeholder={lines ? trans.__('One on each line') : undefined}
        text={lines ? value.join('\n') : String(value ?? '')}
        onText={text =>
          onRead(lines ? readLines(text) : readText(name, text, trans))
        }
      />
    </Label>
  );
}

function Switch(props: ControlProps): JSX.Element {
  const { id, name, schema, value, onRead } = props;
  return (
    <label className="jp-Refine-settingSwitch">
      <input
        id={id}
        type="checkbox"
        className="jp-mod-styled"
        checked={value === true}
        onChange={event => onRead({ value: event.target.checked })}
      />
      <span className="jp-FormGroup-fieldLabel">{schema.title ?? name}</span>
    </label>
  );
}

function Choice(
  props: ControlProps & { readonly options: readonly string[] }
): JSX.Element {
  const { id, value, onRead } = props;
  const chosen = String(value ?? '');
  // What is stored stays a choice, whoever has added it.
  const options = [...new Set([...props.options, chosen])];
  return (
    <Label {...props}>
      <select
        id={id}
        className="form-control"
        value={chosen}
        onChange={event => onRead({ value: event.target.value })}
      >
        {options.map(option => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </Label>
  );
}
