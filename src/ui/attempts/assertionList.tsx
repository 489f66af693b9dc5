import * as React from 'react';
import { memo, useState } from 'react';
import type { AssertionResult } from '../../core/domain/execution';
import { AssertionItem } from './assertionItem';
import { MoreLink } from '../shared/moreLink';
import { usePanelServices } from '../shared/services';

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
