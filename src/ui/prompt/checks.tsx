/** What checks the target; where nothing does, the ways to checks. */
import * as React from 'react';
import { useId, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Isolation } from '../../core/domain/execution';
import type { TargetView, CheckView } from '../../tokens';
import { Button, LinkButton } from '../shared/button';
import {
  holdoutSentence,
  isolationSentences,
  isolationSummary
} from '../../core/text/isolationWords';
import { visibleText, visibleLine } from '../shared/safeText';
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
  const scored = checks.some(isScorer);
  const hidden = new Set(checks.flatMap(({ names }) => names)).size;
  const parts: string[] = [];
  if (assertions > 0) {
    parts.push(
      trans._n(
        'Checks %1 assertion below',
        'Checks %1 assertions below',
        assertions
      )
    );
  }
  if (holdouts > 0) {
    parts.push(
      assertions > 0
        ? trans.__('%1 held out', holdouts)
        : trans._n(
            'Checks %1 held-out assertion',
            'Checks %1 held-out assertions',
            holdouts
          )
    );
  }
  if (scored) {
    parts.push(
      parts.length > 0 ? trans.__('scorer') : trans.__('Measured by a scorer')
    );
  }
  if (parts.length === 0) {
    parts.push(trans.__('No active checks'));
  }
  if (hidden > 0) {
    parts.push(trans._n('%1 hidden name', '%1 hidden names', hidden));
  }
  return parts.join(' · ');
}

function isScorer({ role, problem }: CheckView): boolean {
  return role === 'scorer' && problem === null;
}

/** True when something checks the target or measures it. */
export function isChecked({
  assertions,
  holdouts,
  checks = []
}: TargetView): boolean {
  return assertions + holdouts > 0 || checks.some(isScorer);
}

/** True when a cell is a check, or is meant to be one. */
export function hasPlan(target: TargetView): boolean {
  return (
    isChecked(target) ||
    (target.checks ?? []).some(({ role }) => role !== 'hidden-data')
  );
}

/** Every cell that bears on a pass, with a link to it, and the choice between tagged cells and all. */
function CheckList(props: {
  readonly id: string;
  readonly target: TargetView;
}): JSX.Element {
  const { id, target } = props;
  const { manager, trans } = usePanelServices();
  const { checks = [], onlyTagged = false } = target;
  const own = checks.filter(({ role }) => role !== 'hidden-data');
  const mixed = own.some(c => c.tagged) && own.some(c => !c.tagged);
  return (
    <div className="jp-Refine-note jp-Refine-checks" id={id}>
      <ul aria-label={trans.__('Checks of this cell')}>
        {checks.map((check, i) => (
          <li key={i}>
            <CellLink check={check} />
            {': '}
            {checkText(check, trans)}
          </li>
        ))}
      </ul>
      {onlyTagged || mixed ? (
        <label>
          <input
            type="checkbox"
            checked={onlyTagged}
            onChange={event => manager.setOnlyTagged(event.target.checked)}
          />
          {trans.__('Use only tagged cells as checks')}
        </label>
      ) : null}
    </div>
  );
}

/** Tagged cells that check nothing: shown without a click. */
function TagProblems(props: {
  readonly checks: readonly CheckView[];
}): JSX.Element {
  const wrong = props.checks.filter(({ problem }) => problem !== null);
  return (
    <>
      {wrong.map((check, i) => (
        <p key={i} className="jp-Refine-note jp-Refine-warn">
          <CellLink check={check} />
          {': '}
          {check.problem}
        </p>
      ))}
    </>
  );
}

function CellLink(props: { readonly check: CheckView }): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { cellId, label } = props.check;
  return (
    <LinkButton
      onClick={() => manager.revealCell(cellId)}
      title={trans.__('Show this cell')}
    >
      {label}
    </LinkButton>
  );
}

function checkText(check: CheckView, trans: TranslationBundle): string {
  const { role, statements, names, tagged, problem } = check;
  if (role === 'hidden-data') {
    return trans.__('hides %1', visibleLine(names.join(', ')));
  }
  if (problem !== null) {
    return trans.__('checks nothing');
  }
  if (role === 'scorer') {
    return trans.__('scorer');
  }
  if (role === 'holdout') {
    return trans._n('%1 held out', '%1 held out', statements);
  }
  return tagged
    ? trans._n('%1 assertion, tagged', '%1 assertions, tagged', statements)
    : trans._n('%1 assertion', '%1 assertions', statements);
}

/** Drafts are tried in isolated attempts of Python. */
export function canDraft(
  language: string | undefined,
  isolation: Pick<Isolation, 'mode'> | null
): boolean {
  return language === 'python' && isolation?.mode !== 'live';
}

/** Nothing checks the target: say so, or let a model draft some. */
export function NoChecks(props: {
  /** There is a model to draft with, and a draft can be tried. */
  readonly canDraft: boolean;
}): JSX.Element {
  const { trans } = usePanelServices();
  return (
    <div className="jp-Refine-noChecks">
      <p>
        <strong>{trans.__('Nothing checks this cell yet.')}</strong>{' '}
        {trans.__(
          'Refine can write code, but cannot tell whether it is right.'
        )}
      </p>
      <p className="jp-Refine-quiet">
        {trans.__(
          'Add a cell with assert statements below it, or tag a cell refine-assert.'
        )}
      </p>
      {props.canDraft ? (
        <div className="jp-Refine-buttons">
          <DraftButton primary />
        </div>
      ) : null}
    </div>
  );
}

/** Asks the model for assertions of the current target. */
export function DraftButton(props: {
  readonly primary?: boolean;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  return (
    <Button
      primary={props.primary}
      title={trans.__('The model drafts assertions. You choose which to use.')}
      onClick={() => manager.generateAssertions()}
    >
      {trans.__('Draft assertions')}
    </Button>
  );
}
