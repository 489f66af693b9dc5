import * as React from 'react';
import { Button } from '../shared/button';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type HintBoxProps = {
  readonly area: React.RefObject<HTMLTextAreaElement>;
  /** What is written and not sent. */
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly running: boolean;
  /** After a result a text asks for a change of it; before, it is a hint for one more attempt. */
  readonly hasResult: boolean;
  /** False: there is only something to ask about, and the prompt above refines. */
  readonly canRefine: boolean;
  /** Hints that wait for the next prompt. */
  readonly pending: readonly string[];
  /** A question has a field of its own: what is written here is kept for later. */
  readonly hidden: boolean;
};

/**
 * What the user has to say. While a session runs, a hint for the next prompt:
 * Enter sends it. After it, Enter refines the cell with it, and Alt + Enter asks
 * a question that is answered in words.
 */
export function HintBox(props: HintBoxProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { area, text, onChange, running, hasResult, canRefine } = props;
  const isEmpty = text.trim() === '';
  const send = (how: (said: string) => Promise<void> | void) => {
    if (!isEmpty) {
      perform(() => how(text.trim()));
      onChange('');
      area.current?.focus();
    }
  };
  const hint = () => send(said => manager.hint(said));
  const refine = () => send(said => manager.followUp(said));
  const ask = () => send(said => manager.ask(said));
  const submit = (alt: boolean) =>
    running ? hint() : alt || !canRefine ? ask() : refine();
  const label = running
    ? trans.__('Add a hint for the next attempt…')
    : !canRefine
      ? trans.__('Ask a question…')
      : hasResult
        ? trans.__('Ask for a change, or ask why…')
        : trans.__('Add a hint, or ask a question…');
  return (
    <section
      className="jp-Refine-hint"
      aria-label={running ? trans.__('Hint') : trans.__('Next')}
      hidden={props.hidden}
    >
      {props.pending.map((waiting, i) => (
        <p key={i} className="jp-Refine-quiet">
          {trans.__('For the next attempt: %1', visibleLine(waiting, 120))}
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
              submit(event.altKey);
            }
          }}
        />
        {running && !isEmpty ? (
          <Button onClick={hint}>{trans.__('Send')}</Button>
        ) : null}
      </div>
      {running ? null : (
        <div className="jp-Refine-buttons">
          {canRefine ? (
            <Button
              disabled={isEmpty}
              title={
                hasResult
                  ? trans.__('Refine the cell with this change (Enter)')
                  : trans.__('Make one more attempt with this hint (Enter)')
              }
              onClick={refine}
            >
              {trans.__('Refine')}
            </Button>
          ) : null}
          <Button
            disabled={isEmpty}
            title={trans.__(
              'Answer in words. Nothing is run or changed. (Alt+Enter)'
            )}
            onClick={ask}
          >
            {trans.__('Ask')}
          </Button>
        </div>
      )}
    </section>
  );
}
