/** The control of a setting: what its schema and its name ask for. */
import * as React from 'react';
import { useEffect, useState } from 'react';
import { EVALUATOR_NAMES } from '../../core/domain/evaluators';
import { FEEDBACK_NAMES } from '../../core/feedback/names';
import { PROMPT_SLOTS } from '../../core/text/template';
import type { ModelSetup } from '../../tokens';
import { CheckList } from './checkList';
import type { SettingFormServices } from './lazySettingField';
import { ModelInput } from './modelInput';
import {
  isNumeric,
  readLines,
  readNumber,
  readText,
  type ReadValue,
  type SettingSchema
} from './settingValue';

export type ControlProps = {
  /** Id of the control, for its label. */
  readonly id: string;
  readonly name: string;
  readonly schema: SettingSchema;
  readonly value: unknown;
  readonly services: SettingFormServices;
  readonly models: ModelSetup;
  /** Id of the element that says what is wrong. */
  readonly describedBy: string;
  readonly invalid: boolean;
  readonly onRead: (read: ReadValue) => void;
};

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

/** The title of a setting, as the name of its control. */
export function Label(props: {
  readonly id: string;
  readonly name: string;
  readonly schema: SettingSchema;
  readonly children: React.ReactNode;
}): JSX.Element {
  return (
    <>
      <label
        htmlFor={props.id}
        className="jp-FormGroup-fieldLabel jp-Refine-settingLabel"
      >
        {props.schema.title ?? props.name}
      </label>
      {props.children}
    </>
  );
}

/** A field that keeps what is typed while it is wrong, and follows the setting when that changes elsewhere. */
export function TextInput(props: {
  readonly id: string;
  readonly describedBy: string;
  readonly invalid: boolean;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly numeric?: boolean;
  /** A field of several lines. */
  readonly rows?: number;
  readonly placeholder?: string;
  /** Id of a list of suggestions. */
  readonly list?: string;
}): JSX.Element {
  const { id, text, onText, rows, invalid } = props;
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(now => (isSame(now, text) ? now : text)), [text]);
  const shared = {
    id,
    className: `jp-mod-styled${rows === undefined ? '' : ' jp-Refine-settingText'}`,
    value: typed,
    spellCheck: false,
    placeholder: props.placeholder,
    'aria-describedby': props.describedBy,
    'aria-invalid': invalid,
    onChange: (
      event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>
    ) => {
      setTyped(event.target.value);
      onText(event.target.value);
    }
  };
  return rows === undefined ? (
    <input
      type="text"
      inputMode={props.numeric ? 'decimal' : undefined}
      list={props.list}
      autoComplete="off"
      {...shared}
    />
  ) : (
    <textarea rows={rows} {...shared} />
  );
}

/** Whether what is typed stands for the same value: `1.` for `1`, lines with blanks around them. */
function isSame(typed: string, text: string): boolean {
  const plain = (value: string) => JSON.stringify(readLines(value));
  return (
    plain(typed) === plain(text) ||
    (typed.trim() !== '' && text !== '' && Number(typed) === Number(text))
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
