import * as React from 'react';
import { useId, useState } from 'react';
import type { Isolation } from '../../core/domain/execution';
import type { TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import {
  holdoutSentence,
  isolationSentences,
  isolationSummary
} from '../../core/text/isolationWords';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type PlanLineProps = {
  readonly target: TargetView;
  readonly isolation: Isolation | null;
};

/** What will be checked, and how isolated an attempt is. */
export function PlanLine({ target, isolation }: PlanLineProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const [explained, setExplained] = useState(false);
  const id = useId();
  const { assertions, holdouts, checkCells } = target;
  const { unverified = [], evaluators = [] } = target;
  const weaker =
    isolation !== null && holdouts > 0
      ? holdoutSentence(isolation, trans)
      : null;
  const firstHoldout = checkCells?.holdouts[0] ?? target.cellId;
  const firstCheck = checkCells?.assertions[0] ?? firstHoldout;
  const checked =
    assertions === 0 && holdouts > 0
      ? trans._n(
          'Checks %1 held-out assertion',
          'Checks %1 held-out assertions',
          holdouts
        )
      : trans._n(
          'Checks %1 assertion below',
          'Checks %1 assertions below',
          assertions
        );
  return (
    <>
      <p className="jp-Refine-plan">
        <LinkButton
          onClick={() => manager.revealCell(firstCheck)}
          title={trans.__('Show the first cell that checks it')}
        >
          {checked}
        </LinkButton>
        {holdouts > 0 && assertions > 0 ? (
          <>
            {' · '}
            <LinkButton
              onClick={() => manager.revealCell(firstHoldout)}
              title={trans.__('Hold-outs run last. The model never sees them.')}
            >
              {trans.__('%1 held out', holdouts)}
            </LinkButton>
          </>
        ) : null}
        {unverified.length > 0 ? (
          <>
            {' · '}
            <span className="jp-Refine-warn">
              {trans.__('unverified')}
            </span>{' '}
            <LinkButton
              onClick={() => manager.approveAssertions(unverified)}
              title={trans.__(
                'A model drafted these. Approve them to use them as your own checks.'
              )}
            >
              {trans.__('Approve')}
            </LinkButton>
          </>
        ) : null}
        {evaluators.length > 0
          ? ` · ${trans.__('evaluators: %1', evaluators.join(', '))}`
          : null}
        {isolation !== null ? (
          <>
            {' · '}
            <span className={isolation.memory ? '' : 'jp-Refine-warn'}>
              <LinkButton
                expanded={explained}
                controls={id}
                onClick={() => setExplained(!explained)}
              >
                {isolationSummary(isolation, trans)}
              </LinkButton>
            </span>
          </>
        ) : null}
      </p>
      {weaker !== null ? (
        <p className="jp-Refine-note jp-Refine-warn">{weaker}</p>
      ) : null}
      {isolation !== null && (explained || !isolation.memory) ? (
        <ul className="jp-Refine-note" id={id}>
          {(explained
            ? isolationSentences(isolation, trans)
            : isolationSentences(isolation, trans).slice(0, 1)
          ).map((sentence, i) => (
            <li key={i}>{visibleText(sentence)}</li>
          ))}
        </ul>
      ) : null}
    </>
  );
}
