import * as React from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { RefineQuestion } from '../../tokens';
import { Button } from '../shared/button';
import { CodeView } from '../attempts/codeView';
import { DraftList } from './draftList';
import { visibleLine, visibleText } from '../shared/safeText';
import { formatElapsed } from '../shared/format';
import { usePanelServices } from '../shared/services';
import { useNow } from '../shared/useNow';

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
  const usable = usableLines(drafts);
  const safe = field || drafts ? undefined : choices[0];
  const withText = choices.find(choice => choice.takesText);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(() => agreed(drafts));
  const ticked = chosen.filter(line => usable.includes(line));
  const root = useRef<HTMLElement>(null);
  const titleId = useId();
  const bodyId = useId();

  useEffect(() => {
    // Never take the keyboard from somebody who is typing elsewhere, or who returns to
    // the cell of a question: their next Enter is meant for the cell.
    const isNew = !asked.has(question.id);
    asked.add(question.id);
    if (isNew && !isTypingElsewhere(root.current)) {
      // The code has a button of its own above them.
      (
        root.current?.querySelector<HTMLElement>('textarea, input') ??
        root.current?.querySelector<HTMLElement>('.jp-Refine-buttons > button')
      )?.focus();
    }
  }, [asked, question.id]);

  const isMissing = (choice: Choice) =>
    (choice.takesText === true && text.trim() === '') ||
    (choice.takesDrafts === true && ticked.length === 0);
  const answer = (choice: Choice) => {
    if (isMissing(choice)) {
      return;
    }
    if (choice.takesText || choice.takesDrafts) {
      manager.answer(question.id, choice.id, {
        ...(choice.takesText ? { text: text.trim() } : {}),
        ...(choice.takesDrafts ? { lines: ticked } : {})
      });
    } else {
      manager.answer(question.id, choice.id);
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
      {question.until === undefined ? null : (
        <TimeLeft until={question.until} />
      )}
      {code ? (
        <CodeView code={code.source} before={before} streaming={false} />
      ) : null}
      {drafts ? (
        <DraftList drafts={drafts} ticked={ticked} onChange={setChosen} />
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

/** Counts down once a second, by itself. */
function TimeLeft(props: { readonly until: number }): JSX.Element {
  const { trans } = usePanelServices();
  const now = useNow();
  return (
    <p className="jp-Refine-quiet" role="timer">
      {trans.__(
        'The session waits. Without an answer within %1, this stays blocked.',
        formatElapsed(props.until - now, trans)
      )}
    </p>
  );
}

function usableLines(drafts: RefineQuestion['drafts']): readonly number[] {
  return (drafts ?? [])
    .filter(draft => draft.problem === null)
    .map(draft => draft.line);
}

/** Ticked at first: what the code that is there does not contradict. */
function agreed(drafts: RefineQuestion['drafts']): readonly number[] {
  return (drafts ?? [])
    .filter(draft => draft.problem === null && !draft.contradicted)
    .map(draft => draft.line);
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
