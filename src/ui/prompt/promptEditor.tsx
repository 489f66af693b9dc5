import * as React from 'react';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { TargetView } from '../../tokens';
import { usePanelServices } from '../shared/services';

type PromptEditorProps = {
  readonly target: TargetView;
  /** While a session runs: what it was sent, which cannot change any more; else null. */
  readonly sent: string | null;
  /** Ctrl or Cmd + Enter. */
  readonly onSubmit: () => void;
};

/** The prompt of the target. What is typed stays here and goes to the manager; text from the notebook fills it. */
export function PromptEditor(props: PromptEditorProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { target, sent, onSubmit } = props;
  const [typed, setText] = useState(target.prompt);
  const text = sent ?? typed;
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    // While it is typed here, the view only repeats it, late.
    if (document.activeElement !== area.current) {
      setText(target.prompt);
    }
  }, [target.prompt]);

  useLayoutEffect(() => fitHeight(area.current), [text]);
  useEffect(() => {
    const element = area.current;
    if (element === null || typeof ResizeObserver === 'undefined') {
      return;
    }
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth !== width) {
        width = element.clientWidth;
        fitHeight(element);
      }
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  return (
    <>
      <textarea
        ref={area}
        className="jp-Refine-input"
        aria-label={trans.__('What the cell should do')}
        placeholder={trans.__('What should this cell do?')}
        rows={2}
        value={text}
        readOnly={sent !== null}
        onChange={event => {
          setText(event.target.value);
          manager.setPrompt(event.target.value);
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onSubmit();
          }
        }}
      />
      {sent !== null && target.edited ? (
        <p className="jp-Refine-quiet">
          {trans.__(
            'The cell was edited since. Your edit is kept; the session uses the prompt above.'
          )}
        </p>
      ) : null}
      {sent === null &&
      target.promptFromNotebook &&
      text === target.prompt &&
      text !== '' ? (
        <p className="jp-Refine-quiet">
          {trans.__('From the notebook. Edit to override.')}
        </p>
      ) : null}
    </>
  );
}

/** As high as its text, so that nothing scrolls inside; CSS limits it. */
function fitHeight(element: HTMLTextAreaElement | null): void {
  if (element !== null) {
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }
}
