import * as React from 'react';
import { memo, useId } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { AttemptBody, type AttemptBodyProps } from './attemptBody';
import { diffLines } from './lineDiff';
import { isGated } from '../../core/domain/execution';
import type { RefineRequest } from '../../core/domain/request';
import type { AttemptState } from '../../core/events/state';
import { failureTitle } from '../../core/events/title';
import { visibleLine } from '../shared/safeText';
import { attemptChip, type Chip } from '../shared/score';
import { usePanelServices } from '../shared/services';

type AttemptRowProps = AttemptBodyProps & {
  readonly request: RefineRequest | null;
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
  const { attempt, request, open, onToggle, waiting, ...body } = props;
  const chip = attemptChip(attempt, waiting, trans);
  const id = useId();
  const title = body.explained
    ? trans.__('No answer from the model')
    : visibleLine(titleOf(attempt, request, body.before, trans));
  // Without code it is no attempt: the title says all there is.
  const hasChip = attempt.code !== '' || attempt.failure === null;
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
          <span className="jp-Refine-title" title={title}>
            {title}
          </span>
          {hasChip ? <ChipView {...chip} /> : null}
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

function ChipView({ text, tone, label }: Chip): JSX.Element {
  return (
    <span
      className={`jp-Refine-chip jp-mod-${tone}${label ? ' jp-mod-metric' : ''}`}
      title={label && visibleLine(label)}
    >
      {label === undefined ? (
        visibleLine(text)
      ) : (
        <>
          <span aria-hidden="true">{visibleLine(text)}</span>
          <span className="jp-Refine-hidden">{visibleLine(label)}</span>
        </>
      )}
    </span>
  );
}

/** How it failed, else what it changed in the attempt before, else how long it is. */
function titleOf(
  { attempt, code, phase, thoughts, execution, failure, verdict }: AttemptState,
  request: RefineRequest | null,
  before: string | null,
  trans: TranslationBundle
): string {
  if (execution && isGated(execution)) {
    return trans.__('Static analysis found an error');
  }
  const failed =
    (execution && failureTitle(execution, request)) ||
    failure?.message ||
    (verdict?.evaluation === 'fail' && verdict.reasons[0]);
  if (failed) {
    return failed;
  }
  if (attempt === 0) {
    return trans.__('Current code');
  }
  if (code === '') {
    return thoughts === '' ? '' : trans.__('Thinking');
  }
  const changed =
    before === null || phase === 'writing'
      ? []
      : diffLines(before, code).filter(
          line => line.kind === 'added' && line.text.trim() !== ''
        );
  return changed[0]
    ? trans.__('Changed: %1', changed[0].text.trim())
    : trans._n('%1 line', '%1 lines', code.trimEnd().split('\n').length);
}
