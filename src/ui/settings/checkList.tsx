import * as React from 'react';
import type { ControlProps } from './controlParts';

/** Several of some names; at least one. A stored name that nobody has added (an extension that is off) stays in the list. */
export function CheckList(
  props: ControlProps & { readonly options: readonly string[] }
): JSX.Element {
  const { id, schema, name, services, onRead } = props;
  const { trans } = services;
  const chosen = Array.isArray(props.value) ? props.value.map(String) : [];
  const options = [...new Set([...props.options, ...chosen])];
  const toggle = (option: string) => {
    const value = options.filter(
      other => chosen.includes(other) !== (other === option)
    );
    onRead(
      value.length > 0
        ? { value }
        : { problem: trans.__('Choose at least one.') }
    );
  };
  return (
    <fieldset
      id={id}
      className="jp-Refine-settingChoices"
      aria-describedby={props.describedBy}
    >
      <legend className="jp-FormGroup-fieldLabel jp-Refine-settingLabel">
        {schema.title ?? name}
      </legend>
      {options.map(option => (
        <label key={option} className="jp-Refine-settingSwitch">
          <input
            type="checkbox"
            className="jp-mod-styled"
            checked={chosen.includes(option)}
            onChange={() => toggle(option)}
          />
          <span>{option}</span>
        </label>
      ))}
    </fieldset>
  );
}
