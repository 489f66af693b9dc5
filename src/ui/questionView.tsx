import * as React from 'react';
import { useEffect, useId, useRef } from 'react';
import type { RefineQuestion } from '../tokens';
import { Button } from './button';
import { visibleLine, visibleText } from './safeText';
import { usePanelServices } from './services';

/** A question; its first choice is the safe one: filled, focused, and what Escape gives. */
export function QuestionView(props: {
  readonly question: RefineQuestion;
}): JSX.Element {
  const { manager } = usePanelServices();
  const { question } = props;
  const safe = question.choices[0];
  const safeButton = useRef<HTMLButtonElement>(null);
  const titleId = useId();
  const bodyId = useId();

  useEffect(() => {
    // Never take the keyboard from somebody who is typing elsewhere.
    if (!isTypingElsewhere(safeButton.current)) {
      safeButton.current?.focus();
    }
  }, [question.id]);

  return (
    <section
      className="jp-Refine-question"
      role="alertdialog"
      aria-labelledby={titleId}
      aria-describedby={bodyId}
      onKeyDown={event => {
        if (event.key === 'Escape' && safe !== undefined) {
          event.preventDefault();
          event.stopPropagation();
          manager.answer(question.id, safe.id);
        }
      }}
    >
      <h3 id={titleId}>{visibleLine(question.title)}</h3>
      <p id={bodyId}>{visibleText(question.body)}</p>
      <div className="jp-Refine-buttons">
        {question.choices.map((choice, i) => (
          <Button
            key={choice.id}
            primary={i === 0}
            buttonRef={i === 0 ? safeButton : undefined}
            onClick={() => manager.answer(question.id, choice.id)}
          >
            {visibleLine(choice.label)}
          </Button>
        ))}
      </div>
    </section>
  );
}

function isTypingElsewhere(ours: HTMLElement | null): boolean {
  const active = document.activeElement;
  if (ours?.closest('.jp-Refine')?.contains(active)) {
    return false;
  }
  return (
    active instanceof HTMLElement &&
    (active.isContentEditable ||
      active.matches('input, textarea, select, [contenteditable="true"]'))
  );
}
