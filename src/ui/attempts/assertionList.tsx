import * as React from 'react';
import { memo, useState } from 'react';
import type {
  AssertionResult,
  AssertionOutcome
} from '../../core/domain/execution';
import { MoreLink } from '../shared/moreLink';
import { usePanelServices } from '../shared/services';
import type { TranslationBundle } from '@jupyterlab/translation';
import { formatDuration } from '../shared/format';
import { visibleLine, visibleText } from '../shared/safeText';
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

/** Statements shown at once; beyond it those that held are folded away. */
const MANY = 30;

/** The statements of one attempt, in the order of the notebook. */
export const AssertionList = memo(function AssertionList(props: {
  readonly assertions: readonly AssertionResult[];
  /** Why some of them were not run; empty: nothing says so. */
  readonly unrunBecause: string;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [all, setAll] = useState(false);
  const { unrunBecause } = props;
  const assertions = props.assertions.filter(a => a.outcome !== 'not-run');
  const unrun = props.assertions.length - assertions.length;
  const shown =
    all || assertions.length <= MANY
      ? assertions
      : assertions
          .filter(a => a.outcome !== 'passed' || a.confirmed === false)
          .slice(0, MANY);
  const hidden = assertions.length - shown.length;
  return (
    <>
      {shown.length > 0 ? (
        <ul
          className="jp-Refine-assertions"
          aria-label={trans.__('Assertions')}
        >
          {shown.map(result => (
            <AssertionItem key={result.id} result={result} />
          ))}
        </ul>
      ) : null}
      <MoreLink hidden={hidden} onShow={() => setAll(true)} />
      {unrun > 0 ? (
        <p className="jp-Refine-remark jp-Refine-quiet">
          {trans._n('%1 check not run', '%1 checks not run', unrun)}
          {unrunBecause === '' ? '.' : `: ${unrunBecause}`}
        </p>
      ) : null}
    </>
  );
});
