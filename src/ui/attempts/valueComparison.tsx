import * as React from 'react';
import { useContext } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type {
  AssertionResult,
  ObservedValue
} from '../../core/domain/execution';
import { visibleText } from '../shared/safeText';
import {
  HiddenNamesContext,
  usePanelServices,
  type HiddenNames
} from '../shared/services';

/** Characters of a difference that stand beside the observed value; a longer one gets lines of its own. */
const BESIDE = 60;

/** Shape of a scalar of numpy: it says nothing. */
const NO_SHAPE = '()';

/** Calls whose expected side is what the observed one should equal: `equals`, `allclose`, `assertEqual`, `isinstance`. */
const EQUALITY_CALL = /^(?!.*not).*(equal|close|isinstance)/i;

/** What stands after "expected": nothing where equality is meant. */
function shownOperator(operator: string | undefined): string | undefined {
  return operator === '==' || EQUALITY_CALL.test(operator ?? '')
    ? undefined
    : operator;
}

/** Expected and observed of a failed statement, aligned, and what differs in words. */
export function ValueComparison(props: {
  readonly result: AssertionResult;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const hidden = useContext(HiddenNamesContext);
  const { expected, observed, operands } = props.result;
  const operator = shownOperator(props.result.operator);
  const difference = [expected, observed].some(
    value => value && isHidden(value.expression, hidden)
  )
    ? undefined
    : (props.result.difference ?? '');
  const others = expected || observed ? [] : (operands ?? []);
  if (!expected && !observed && others.length === 0 && !difference) {
    return null;
  }
  const typed =
    !difference &&
    expected !== undefined &&
    observed !== undefined &&
    expected.type !== observed.type;
  const isLong =
    difference !== undefined &&
    (difference.length > BESIDE || difference.includes('\n'));
  return (
    <div className="jp-Refine-comparison">
      <dl>
        {expected ? (
          <>
            <dt>
              {operator === undefined
                ? trans.__('expected')
                : trans.__('expected %1', operator)}
            </dt>
            <dd>
              <Value value={expected} typed={typed} />
            </dd>
          </>
        ) : null}
        {observed ? (
          <>
            <dt>{trans.__('observed')}</dt>
            <dd>
              <Value value={observed} typed={typed} />
              {difference && !isLong ? (
                <span className="jp-Refine-difference">
                  {visibleText(difference)}
                </span>
              ) : null}
            </dd>
          </>
        ) : null}
        {others.map((value, i) => (
          <React.Fragment key={i}>
            <dt className="jp-mod-code">{visibleText(value.expression)}</dt>
            <dd>
              <Value value={value} typed={false} />
            </dd>
          </React.Fragment>
        ))}
      </dl>
      {difference && (isLong || !observed) ? (
        <pre tabIndex={isLong ? 0 : undefined}>{visibleText(difference)}</pre>
      ) : null}
    </div>
  );
}

function Value(props: {
  readonly value: ObservedValue;
  readonly typed: boolean;
}): JSX.Element {
  const { trans } = usePanelServices();
  const hidden = useContext(HiddenNamesContext);
  const { value, typed } = props;
  const shown = shownText(value, hidden, trans);
  const isTable = shown.includes('\n');
  const kind = [typed ? value.type : '', value.shape ?? '']
    .filter(part => part !== '' && part !== NO_SHAPE)
    .join(' ');
  return (
    <>
      <code
        className={isTable ? 'jp-mod-table' : undefined}
        // What is scrolled can be reached with the keyboard.
        tabIndex={isTable ? 0 : undefined}
        title={visibleText(value.expression)}
      >
        {shown}
      </code>
      {kind !== '' ? (
        <span className="jp-Refine-kind">{visibleText(kind)}</span>
      ) : null}
    </>
  );
}

function shownText(
  { expression, repr }: ObservedValue,
  hidden: HiddenNames,
  trans: TranslationBundle
): string {
  return isHidden(expression, hidden) ? trans.__('hidden') : visibleText(repr);
}

/** True for a hidden name and parts of it: `y_test`, `y_test[0]`; not for what is measured with it. */
function isHidden(expression: string, hidden: HiddenNames): boolean {
  const root = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(expression.trim())?.[0];
  return root !== undefined && hidden.has(root);
}
