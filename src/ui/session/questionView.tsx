import * as React from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { DraftedAssertion } from '../../core/drafts/drafts';
import type { RefineQuestion } from '../../tokens';
import { Button } from '../shared/button';
import { CodeView } from '../attempts/codeView';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type Choice = RefineQuestion['choices'][number];

/**
 * A question; its first choice is the safe one: filled, focused, and what
 * Escape gives. Where there is something to write or to tick, that has the
 * keyboard instead: a stray key decides nothing, and Escape neither.
 */
export function QuestionView(props: {
  readonly question: RefineQuestion;
  /** Code of the attempt before the one that is asked about; null: none. */
  readonly before: string | null;
}): JSX.Element {
  const { manager, trans, asked } = usePanelServices();
  const { question, before } = props;
  const { field, code, drafts, choices } = question;
  const safe = field || drafts ? undefined : choices[0];
  const withText = choices.find(choice => choice.takesText);
  const [text, setText] = useState('');
  // At first what the code that is there does not contradict.
  const [ticked, setTicked] = useState<readonly number[]>(() =>
    (drafts ?? [])
      .filter(draft => draft.problem === null && !draft.contradicted)
      .map(draft => draft.line)
  );
  const root = useRef<HTMLElement>(null);
  const titleId = useId();
  const bodyId = useId();

  useEffect(() => {
    // Never take the keyboard from somebody who is typing elsewhere, or who returns to
    // the cell of a question: their next Enter is meant for the cell.
    const isNew = !asked.has(question.id);
    asked.add(question.id);
    if (!isNew || isTypingElsewhere(root.current)) {
      return;
    }
    const before = document.activeElement;
    // The code has a button of its own above them.
    (
      root.current?.querySelector<HTMLElement>('textarea, input') ??
      root.current?.querySelector<HTMLElement>('.jp-Refine-buttons > button')
    )?.focus();
    return () => {
      // The keyboard goes back, as after a dialog.
      if (document.activeElement === document.body) {
        (before as HTMLElement | null)?.focus();
      }
    };
  }, [asked, question.id]);

  const isMissing = (choice: Choice) =>
    (choice.takesText === true && text.trim() === '') ||
    (choice.takesDrafts === true && ticked.length === 0);
  const answer = (choice: Choice) => {
    if (!isMissing(choice)) {
      const detail = { text: text.trim(), lines: ticked };
      manager.answer(question.id, choice.id, detail);
    }
  };
  return (
    <section
      ref={root}
      className="jp-Refine-question"
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={bodyId}
      onKeyDown={event => {
        if (event.key === 'Escape' && safe !== undefined) {
          event.preventDefault();
          event.stopPropagation();
          answer(safe);
        }
      }}
    >
      <h3 id={titleId}>{visibleLine(question.title)}</h3>
      <p id={bodyId}>{visibleText(question.body)}</p>
      {code ? (
        <CodeView code={code.source} before={before} streaming={false} />
      ) : null}
      {drafts ? (
        <DraftList drafts={drafts} ticked={ticked} onChange={setTicked} />
      ) : null}
      {field ? (
        <textarea
          className="jp-Refine-input"
          aria-label={field.label}
          placeholder={field.label}
          rows={2}
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={event => {
            if (
              event.key === 'Enter' &&
              !event.shiftKey &&
              !event.nativeEvent.isComposing &&
              withText
            ) {
              event.preventDefault();
              answer(withText);
            }
          }}
        />
      ) : null}
      <div className="jp-Refine-buttons">
        {choices.map((choice, i) => (
          <Button
            key={choice.id}
            primary={i === 0}
            disabled={isMissing(choice)}
            onClick={() => answer(choice)}
          >
            {choice.takesDrafts
              ? trans.__('%1 (%2)', visibleLine(choice.label), ticked.length)
              : visibleLine(choice.label)}
          </Button>
        ))}
      </div>
    </section>
  );
}

function isTypingElsewhere(ours: HTMLElement | null): boolean {
  const active = document.activeElement;
  if (ours?.closest('.jp-Refine')?.contains(active)) {
    // A hint that is half written.
    return (
      active instanceof HTMLTextAreaElement &&
      !active.readOnly &&
      active.value !== ''
    );
  }
  return (
    active instanceof HTMLElement &&
    (active.isContentEditable ||
      active.matches('input, textarea, select, [contenteditable="true"]'))
  );
}

type DraftListProps = {
  readonly drafts: readonly DraftedAssertion[];
  /** Lines of those that are ticked. */
  readonly ticked: readonly number[];
  readonly onChange: (ticked: readonly number[]) => void;
};

/** Drafted assertions with a box to tick; what the code contradicts says so; unusable ones come last, with the reason. */
function DraftList(props: DraftListProps): JSX.Element {
  const { trans } = usePanelServices();
  const { drafts, ticked, onChange } = props;
  const offered = drafts.filter(draft => draft.problem === null);
  const leftOut = drafts.filter(draft => draft.problem !== null);
  const toggle = (line: number) =>
    onChange(
      ticked.includes(line)
        ? ticked.filter(other => other !== line)
        : [...ticked, line]
    );
  return (
    <div className="jp-Refine-drafts">
      {offered.length > 0 ? (
        <ul aria-label={trans.__('Drafted assertions')}>
          {offered.map(draft => (
            <li key={draft.line}>
              <label>
                <input
                  type="checkbox"
                  checked={ticked.includes(draft.line)}
                  onChange={() => toggle(draft.line)}
                />
                <code>{visibleText(draft.source)}</code>
                <Contradiction draft={draft} />
              </label>
            </li>
          ))}
        </ul>
      ) : null}
      {leftOut.length > 0 ? (
        <>
          <p className="jp-Refine-quiet">
            {trans._n('%1 left out', '%1 left out', leftOut.length)}
          </p>
          <ul aria-label={trans.__('Left out')}>
            {leftOut.map(draft => (
              <li key={draft.line} className="jp-mod-leftOut">
                <code>{visibleText(draft.source)}</code>
                <span className="jp-Refine-quiet">
                  {visibleLine(draft.problem ?? '')}
                </span>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}

/** What the code of the cell gives instead; nothing where it agrees. */
function Contradiction(props: {
  readonly draft: DraftedAssertion;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { contradicted } = props.draft;
  if (!contradicted) {
    return null;
  }
  const { expected, observed, error } = contradicted;
  return (
    <span className="jp-Refine-warn">
      {visibleLine(
        observed !== undefined
          ? trans.__('expects %1, your code gives %2', expected, observed)
          : error !== undefined
            ? trans.__('your code raises %1', error)
            : trans.__('your code does not pass it')
      )}
    </span>
  );
}
