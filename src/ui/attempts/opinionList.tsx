import * as React from 'react';
import { memo } from 'react';
import type { Verdict } from '../../core/domain/verdict';
import { opinionLine, opinions } from '../../core/text/verdictWords';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** What a judge says of an attempt, with the actions that it asks for. */
export const OpinionList = memo(function OpinionList(props: {
  readonly verdict: Verdict | null;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  return (
    <>
      {opinions(props.verdict).map(opinion => (
        <div key={opinion.evaluator} className="jp-Refine-opinion">
          <p className={`jp-mod-${opinion.evaluation}`}>
            {visibleLine(opinionLine(opinion, trans))}
          </p>
          {opinion.reasons.length > 0 ? (
            <ul>
              {opinion.reasons.map((reason, i) => (
                <li key={i}>{visibleText(reason)}</li>
              ))}
            </ul>
          ) : null}
        </div>
      ))}
    </>
  );
});
