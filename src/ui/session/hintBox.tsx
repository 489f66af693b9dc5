import * as React from 'react';
import { forwardRef, useImperativeHandle, useRef } from 'react';
import { Button } from '../shared/button';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

export type HintBoxHandle = { readonly focus: () => void };

type HintBoxProps = {
  /** What is written and not sent. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly running: boolean;
  /** Hints that wait for the next prompt. */
  readonly pending: readonly string[];
  /** A question has a field of its own: what is written here is kept for later. */
  readonly hidden?: boolean;
};

/** A line for the next prompt; Enter sends it. */
export const HintBox = forwardRef<HintBoxHandle, HintBoxProps>(function HintBox(
  { text, onChange, running, pending, hidden },
  handle
) {
  const { manager, trans } = usePanelServices();
  const area = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(handle, () => ({ focus: () => area.current?.focus() }));
  const send = () => {
    if (text.trim() !== '') {
      manager.hint(text.trim());
      onChange('');
      area.current?.focus();
    }
  };
  const label = running
    ? trans.__('Add a hint for the next attempt…')
    : trans.__('Add a hint and try once more…');
  return (
    <section
      className="jp-Refine-hint"
      aria-label={trans.__('Hint')}
      hidden={hidden}
    >
      {pending.map((hint, i) => (
        <p key={i} className="jp-Refine-quiet">
          {trans.__('For the next attempt: %1', visibleLine(hint, 120))}
        </p>
      ))}
      <div className="jp-Refine-hintLine">
        <textarea
          ref={area}
          className="jp-Refine-input"
          aria-label={label}
          placeholder={label}
          rows={1}
          value={text}
          onChange={event => onChange(event.target.value)}
          onKeyDown={event => {
            if (
              event.key === 'Enter' &&
              !event.shiftKey &&
              !event.nativeEvent.isComposing
            ) {
              event.preventDefault();
              send();
            }
          }}
        />
        {text.trim() !== '' ? (
          <Button onClick={send}>{trans.__('Send')}</Button>
        ) : null}
      </div>
    </section>
  );
});
