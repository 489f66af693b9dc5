import * as React from 'react';
import { memo, useId } from 'react';
import { AttemptBody, type AttemptBodyProps } from './attemptBody';
import { thoughtTitle } from '../../core/events/title';
import type { AttemptState } from '../../core/events/state';
import { translated } from '../../core/messages/translated';
import { visibleLine } from '../shared/safeText';
import { attemptChip } from '../shared/score';
import { usePanelServices } from '../shared/services';

/** Characters of thought in which a title is looked for. */
const TITLE_SOURCE = 1000;

type AttemptRowProps = AttemptBodyProps & {
  readonly open: boolean;
  readonly onToggle: (attempt: number, open: boolean) => void;
  /** The session waits for the user because of it. */
  readonly waiting: boolean;
};

/** One attempt: number, title, chip; open, what it wrote and how it went. */
export const AttemptRow = memo(function AttemptRow(
  props: AttemptRowProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { attempt, open, onToggle, waiting, ...body } = props;
  const chip = attemptChip(attempt, waiting, trans);
  const id = useId();
  const title = body.explained
    ? trans.__('No answer from the model')
    : visibleLine(translated(titleOf(attempt), trans));
  const shownTitle =
    title !== ''
      ? title
      : attempt.attempt === 0
        ? trans.__('Current code')
        : attempt.phase === 'writing'
          ? trans.__('Thinking')
          : trans.__('No title');
  return (
    <li className={`jp-Refine-attempt${open ? ' jp-mod-open' : ''}`}>
      <h3>
        <button
          type="button"
          className="jp-Refine-attemptHead"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => onToggle(attempt.attempt, !open)}
        >
          <span className="jp-Refine-triangle" aria-hidden="true" />
          <span className="jp-Refine-number">
            <span className="jp-Refine-hidden">{trans.__('Attempt')} </span>
            {attempt.attempt}
          </span>
          <span className="jp-Refine-title" title={shownTitle}>
            {shownTitle}
          </span>
          <span
            className={`jp-Refine-chip jp-mod-${chip.tone}${chip.label ? ' jp-mod-metric' : ''}`}
            title={chip.label && visibleLine(chip.label)}
          >
            {chip.label === undefined ? (
              visibleLine(chip.text)
            ) : (
              <>
                <span aria-hidden="true">{visibleLine(chip.text)}</span>
                <span className="jp-Refine-hidden">
                  {visibleLine(chip.label)}
                </span>
              </>
            )}
          </span>
        </button>
      </h3>
      {open ? (
        <div id={id}>
          <AttemptBody attempt={attempt} {...body} />
        </div>
      ) : null}
    </li>
  );
});

/** Until there is a title, the first sentence of thought as far as it has come. */
function titleOf(attempt: AttemptState): string {
  return attempt.title !== ''
    ? attempt.title
    : thoughtTitle(attempt.thoughts.slice(0, TITLE_SOURCE));
}
