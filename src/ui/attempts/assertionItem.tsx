import * as React from 'react';
import { memo } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type {
  AssertionOutcome,
  AssertionResult
} from '../../core/domain/execution';
import { formatDuration } from '../shared/format';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';
import { ValueComparison } from './valueComparison';

const MARKS: Readonly<Record<AssertionOutcome, string>> = {
  passed: '✓',
  failed: '✗',
  error: '✗',
  'not-run': '–'
};

/** One checking statement: tick or cross, statement, time; what differs under a failed one. */
export const AssertionItem = memo(function AssertionItem(props: {
  readonly result: AssertionResult;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { result } = props;
  const failed = result.outcome === 'failed' || result.outcome === 'error';
  return (
    <li className={`jp-Refine-assertion jp-mod-${result.outcome}`}>
      <span
        className="jp-Refine-mark"
        aria-hidden="true"
        title={
          result.confirmed
            ? trans.__(
                'Confirmed: it also passed in a separate process that never ran this code.'
              )
            : undefined
        }
      >
        {MARKS[result.outcome]}
      </span>
      <button
        type="button"
        className="jp-Refine-statement"
        title={trans.__('Show line %1 of its cell', result.line)}
        onClick={() => manager.revealCell(result.cellId)}
      >
        <span className="jp-Refine-hidden">
          {result.confirmed
            ? trans.__('passed, confirmed')
            : outcomeWord(result.outcome, trans)}
          :{' '}
        </span>
        <code>
          {result.source === ''
            ? trans.__('line %1', result.line)
            : visibleText(statementOf(result.source))}
        </code>
        {result.holdsEmpty ? (
          <span
            className="jp-Refine-vacuous"
            title={trans.__(
              'It also passes where every function of the cell is empty.'
            )}
          >
            {trans.__('says nothing about the code')}
          </span>
        ) : null}
        {result.role === 'holdout' ? (
          <span className="jp-Refine-heldOut">{trans.__('held out')}</span>
        ) : null}
      </button>
      <span className="jp-Refine-time">
        {formatDuration(result.durationMs, trans)}
      </span>
      {result.confirmed === false ? (
        <p className="jp-Refine-reason">
          <span className="jp-Refine-unconfirmed">
            {trans.__('not confirmed')}
          </span>
          {result.unconfirmed ? `: ${visibleLine(result.unconfirmed)}` : null}
        </p>
      ) : null}
      {failed ? <ValueComparison result={result} /> : null}
      {failed && result.error && !result.observed ? (
        <p className="jp-Refine-errorLine">
          {visibleLine(
            result.error.message === ''
              ? result.error.name
              : `${result.error.name}: ${result.error.message}`
          )}
        </p>
      ) : null}
    </li>
  );
});

function outcomeWord(outcome: AssertionOutcome, trans: TranslationBundle) {
  switch (outcome) {
    case 'passed':
      return trans.__('passed');
    case 'failed':
      return trans.__('failed');
    case 'error':
      return trans.__('error');
    case 'not-run':
      return trans.__('not run');
  }
}

/** The statement without a leading `assert`, which every line would repeat. */
function statementOf(source: string): string {
  return source.trim().replace(/^assert\s+(?!\()/, '');
}
