import * as React from 'react';
import { useId, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Isolation } from '../../core/domain/execution';
import type { TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import { CheckList, TagProblems } from './checkList';
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

/** What will be checked, and what an attempt is not isolated from. */
export function PlanLine({ target, isolation }: PlanLineProps): JSX.Element {
  const { trans } = usePanelServices();
  const [listed, setListed] = useState(false);
  const [explained, setExplained] = useState(false);
  const id = useId();
  const { holdouts, checks = [], evaluators = [] } = target;
  const weaker =
    isolation !== null && holdouts > 0
      ? holdoutSentence(isolation, trans)
      : null;
  return (
    <>
      <p className="jp-Refine-plan">
        <LinkButton
          expanded={listed}
          controls={`${id}-checks`}
          onClick={() => setListed(!listed)}
          title={trans.__(
            'List the cells that check it. The model never sees hold-outs and hidden data.'
          )}
        >
          {planText(target, trans)}
        </LinkButton>
        {evaluators.length > 0
          ? ` · ${trans.__('evaluators: %1', evaluators.join(', '))}`
          : null}
        {isolation !== null &&
        (isOpen(isolation) || isolation.mode === 'sidecar') ? (
          <>
            {' · '}
            <span className={isOpen(isolation) ? 'jp-Refine-warn' : ''}>
              <LinkButton
                expanded={explained}
                controls={`${id}-isolation`}
                onClick={() => setExplained(!explained)}
              >
                {isolation.mode === 'sidecar' && !isOpen(isolation)
                  ? trans.__('in a second kernel')
                  : isolationSummary(isolation, trans)}
              </LinkButton>
            </span>
          </>
        ) : null}
      </p>
      {listed ? <CheckList id={`${id}-checks`} target={target} /> : null}
      <TagProblems checks={checks} />
      {weaker !== null ? (
        <p className="jp-Refine-note jp-Refine-warn">{weaker}</p>
      ) : null}
      {isolation !== null && (explained || !isolation.memory) ? (
        <ul className="jp-Refine-note" id={`${id}-isolation`}>
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

/** True when an attempt can reach memory, files or the network. */
function isOpen({ memory, files, network }: Isolation): boolean {
  return !memory || files === 'open' || !network;
}

/** `Checks 4 assertions below · 1 held out · scorer · 2 hidden names` */
function planText(target: TargetView, trans: TranslationBundle): string {
  const { assertions, holdouts, checks = [] } = target;
  const scored = checks.some(c => c.role === 'scorer' && c.problem === null);
  const hidden = new Set(checks.flatMap(({ names }) => names)).size;
  const heldOut =
    assertions > 0
      ? trans.__('%1 held out', holdouts)
      : trans._n(
          'Checks %1 held-out assertion',
          'Checks %1 held-out assertions',
          holdouts
        );
  return [
    ...(assertions > 0
      ? [
          trans._n(
            'Checks %1 assertion below',
            'Checks %1 assertions below',
            assertions
          )
        ]
      : []),
    ...(holdouts > 0 ? [heldOut] : []),
    ...(scored
      ? [
          assertions + holdouts > 0
            ? trans.__('scorer')
            : trans.__('Measured by a scorer')
        ]
      : []),
    ...(assertions + holdouts > 0 || scored
      ? []
      : [trans.__('No active checks')]),
    ...(hidden > 0
      ? [trans._n('%1 hidden name', '%1 hidden names', hidden)]
      : [])
  ].join(' · ');
}

/** True when something checks the target or measures it. */
export function isChecked({
  assertions,
  holdouts,
  checks = []
}: TargetView): boolean {
  return (
    assertions + holdouts > 0 ||
    checks.some(({ role, problem }) => role === 'scorer' && problem === null)
  );
}

/** True when a cell is a check, or is meant to be one. */
export function hasPlan(target: TargetView): boolean {
  return (
    isChecked(target) ||
    (target.checks ?? []).some(({ role }) => role !== 'hidden-data')
  );
}
