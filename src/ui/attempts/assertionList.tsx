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
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [all, setAll] = useState(false);
  const { assertions } = props;
  if (assertions.length === 0) {
    return null;
  }
  const shown =
    all || assertions.length <= MANY
      ? assertions
      : assertions
          .filter(a => a.outcome !== 'passed' || a.confirmed === false)
          .slice(0, MANY);
  const hidden = assertions.length - shown.length;
  return (
    <>
      <ul className="jp-Refine-assertions" aria-label={trans.__('Assertions')}>
        {shown.map(result => (
          <AssertionItem key={result.id} result={result} />
        ))}
      </ul>
      <MoreLink hidden={hidden} onShow={() => setAll(true)} />
    </>
  );
});
