/** What the controls of all settings have: their properties, the label, the text field. */
import * as React from 'react';
import { useEffect, useState } from 'react';
import type { ModelSetup } from '../../tokens';
import type { SettingFormServices } from './settingForm';
import { readLines, type ReadValue, type SettingSchema } from './settingValue';

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
