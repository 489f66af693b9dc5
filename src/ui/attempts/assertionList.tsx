import * as React from 'react';
import { memo, useContext } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type {
  AssertionOutcome,
  AssertionResult,
  ObservedValue
} from '../../core/domain/execution';
import { useFirst } from '../shared/button';
import { errorText, formatDuration } from '../shared/format';
import { visibleLine, visibleText } from '../shared/safeText';
import {
  HiddenNamesContext,
  usePanelServices,
  type HiddenNames
} from '../shared/services';

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
          {visibleLine(errorText(result.error))}
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

/** The statements without a leading `assert`, which every line would repeat. */
function statementOf(source: string): string {
  return source.trim().replace(/^assert\s+(?!\()/gm, '');
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
  const { unrunBecause } = props;
  const assertions = props.assertions.filter(a => a.outcome !== 'not-run');
  const unrun = props.assertions.length - assertions.length;
  const [shown, more] = useFirst(
    assertions,
    MANY,
    assertions.filter(a => a.outcome !== 'passed' || a.confirmed === false)
  );
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
      {more}
      {unrun > 0 ? (
        <p className="jp-Refine-remark jp-Refine-quiet">
          {trans._n('%1 check not run', '%1 checks not run', unrun)}
          {unrunBecause === '' ? '.' : `: ${unrunBecause}`}
        </p>
      ) : null}
    </>
  );
});

/** Characters of a difference that stand beside the observed value; a longer one gets lines of its own. */
const BESIDE = 60;

/** Shape of a scalar of numpy: it says nothing. */
const NO_SHAPE = '()';

/** Where the observed value should equal the expected one: `==`, `equals`, `allclose`, `assertEqual`, `isinstance`. */
const EQUALITY = /^(==|(?!.*not).*(equal|close|isinstance).*)$/i;

/** Expected and observed of a failed statement, aligned, and what differs in words. */
function ValueComparison(props: {
  readonly result: AssertionResult;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const hidden = useContext(HiddenNamesContext);
  const { expected, observed, operands, operator } = props.result;
  const isSecret = [expected, observed].some(
    value => value && isHidden(value.expression, hidden)
  );
  const difference = (!isSecret && props.result.difference) || '';
  const others = expected || observed ? [] : (operands ?? []);
  if (!expected && !observed && others.length === 0 && !difference) {
    return null;
  }
  const typed =
    !difference && !!expected && !!observed && expected.type !== observed.type;
  const isLong = difference.length > BESIDE || difference.includes('\n');
  return (
    <div className="jp-Refine-comparison">
      <dl>
        {expected ? (
          <Value
            label={
              operator === undefined || EQUALITY.test(operator)
                ? trans.__('expected')
                : trans.__('expected %1', operator)
            }
            value={expected}
            typed={typed}
          />
        ) : null}
        {observed ? (
          <Value label={trans.__('observed')} value={observed} typed={typed}>
            {difference && !isLong ? (
              <span className="jp-Refine-difference">
                {visibleText(difference)}
              </span>
            ) : null}
          </Value>
        ) : null}
        {others.map((value, i) => (
          <Value key={i} value={value} typed={false} />
        ))}
      </dl>
      {difference && (isLong || !observed) ? (
        <pre tabIndex={isLong ? 0 : undefined}>{visibleText(difference)}</pre>
      ) : null}
    </div>
  );
}

function Value(props: {
  /** Default: its expression. */
  readonly label?: string;
  readonly value: ObservedValue;
  readonly typed: boolean;
  readonly children?: React.ReactNode;
}): JSX.Element {
  const { trans } = usePanelServices();
  const hidden = useContext(HiddenNamesContext);
  const { label, value, typed, children } = props;
  const expression = visibleText(value.expression);
  const shown = isHidden(value.expression, hidden)
    ? trans.__('hidden')
    : visibleText(value.repr);
  const isTable = shown.includes('\n');
  const kind = [typed ? value.type : '', value.shape ?? '']
    .filter(part => part !== '' && part !== NO_SHAPE)
    .join(' ');
  return (
    <>
      <dt className={label === undefined ? 'jp-mod-code' : undefined}>
        {label ?? expression}
      </dt>
      <dd>
        <code
          className={isTable ? 'jp-mod-table' : undefined}
          // What is scrolled can be reached with the keyboard.
          tabIndex={isTable ? 0 : undefined}
          title={expression}
        >
          {shown}
        </code>
        {kind !== '' ? (
          <span className="jp-Refine-kind">{visibleText(kind)}</span>
        ) : null}
        {children}
      </dd>
    </>
  );
}

/** True for a hidden name and parts of it: `y_test`, `y_test[0]`; not for what is measured with it. */
function isHidden(expression: string, hidden: HiddenNames): boolean {
  const root = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(expression.trim())?.[0];
  return root !== undefined && hidden.has(root);
}
