import * as React from 'react';
import { useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { hasChecks } from '../../../core/domain/checks/checks';
import {
  passConfirmation,
  type Confirmation
} from '../../../core/domain/checks/confirmation';
import {
  checkName,
  isEverywhere,
  unconfirmedLabel,
  unconfirmedSummary
} from '../../../core/text/confirmationWords';
import { countPassed } from '../../../core/domain/execution';
import type { Outcome } from '../../../core/domain/outcome';
import type { AttemptState, SessionState } from '../../../core/events/state';
import {
  canRestore,
  isWritten,
  type AcceptState,
  type RefineView
} from '../../../tokens';
import { Banner } from '../../shared/banner';
import { Button, LinkButton } from '../../shared/button';
import {
  formatCost,
  hasCostLimit,
  formatDuration,
  formatTokens
} from '../../shared/format';
import { MoreLink } from '../../shared/moreLink';
import { visibleText } from '../../shared/safeText';
import { assertionCounts } from '../../../core/events/counts';
import { countsText, metricText } from '../../shared/score';
import { usePanelServices } from '../../shared/services';
import { passedTitle } from '../sessionWords';

type PassedBannerProps = {
  readonly session: SessionState;
  readonly outcome: Outcome;
  readonly accepted: AcceptState | null;
  readonly cleanCheck: RefineView['cleanCheck'];
  /** What failed in the notebook since. */
  readonly standing: string | null;
};

/** A pass: what checked it, what it took, and what becomes of the cell. */
export function PassedBanner(props: PassedBannerProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { session, outcome, accepted, cleanCheck, standing } = props;
  const number = outcome.best?.attempt ?? session.best ?? 0;
  const attempt = session.attempts.find(a => a.attempt === number);
  const written = isWritten(accepted);
  const found = outcome.confirmed ? passConfirmation(attempt?.execution) : null;
  const open = outcome.confirmed
    ? unconfirmedLabel(outcome.confirmed, trans)
    : '';
  const passed = passedTitle(number, outcome, trans);
  return (
    <Banner
      tone={
        outcome.clean?.passed === false || open !== '' || standing
          ? 'some'
          : 'pass'
      }
      title={
        standing
          ? trans.__('%1, %2', passed, standing)
          : open === ''
            ? passed
            : trans.__('%1; %2', passed, open)
      }
      lines={[factsLine(session, outcome, attempt, trans)]}
      warning={
        checkedByOther(outcome, trans) ??
        (found ? visibleText(unconfirmedSummary(found, trans)) : null)
      }
      details={found ? <UnconfirmedList found={found} /> : null}
      actions={
        number === 0 ? null : (
          <>
            {written ? null : (
              <Button
                primary
                onClick={() => perform(() => manager.accept(number))}
              >
                {trans.__('Use attempt %1', number)}
              </Button>
            )}
            {canRestore(accepted) ? (
              <Button onClick={() => perform(() => manager.restore())}>
                {trans.__('Restore cell')}
              </Button>
            ) : null}
            <Button
              title={trans.__('Compare it with the code at the start')}
              onClick={() =>
                perform(() => manager.compare({ left: 0, right: number }))
              }
            >
              {trans.__('Compare')}
            </Button>
          </>
        )
      }
    >
      <p className="jp-Refine-quiet">
        {accepted !== null && accepted.message !== '' && standing === null
          ? `${acceptedSentence(accepted, number, trans)} `
          : number > 0 && !written
            ? `${trans.__('The cell is unchanged.')} `
            : ''}
        {cleanCheck === null &&
        session.request !== null &&
        hasChecks(session.request) ? (
          <LinkButton onClick={() => perform(() => manager.checkClean())}>
            {trans.__('Check in a fresh kernel')}
          </LinkButton>
        ) : null}
      </p>
      {cleanCheck !== null ? <CleanCheck check={cleanCheck} /> : null}
    </Banner>
  );
}

/** Checks shown at once. */
const SHOWN = 8;

/** Which checks are not confirmed, and why. */
function UnconfirmedList(props: {
  readonly found: Confirmation;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [all, setAll] = useState(false);
  const { reasons } = props.found;
  const shown = all ? reasons : reasons.slice(0, SHOWN);
  // The summary says why, where no check can be confirmed.
  return reasons.length === 0 || isEverywhere(props.found) ? null : (
    <>
      <ul
        className="jp-Refine-note"
        aria-label={trans.__('Unconfirmed checks')}
      >
        {shown.map((check, i) => (
          <li key={i}>
            {check.role === 'assertion' ? (
              <code>{visibleText(checkName(check, trans))}</code>
            ) : (
              checkName(check, trans)
            )}
            {': '}
            {visibleText(`${check.reason}.`)}
          </li>
        ))}
      </ul>
      <MoreLink
        hidden={reasons.length - shown.length}
        onShow={() => setAll(true)}
      />
    </>
  );
}

/** `4 of 4 and 1 held out · 9.8 s · 2,780 tokens · $0.006` */
function factsLine(
  session: SessionState,
  outcome: Outcome,
  attempt: AttemptState | undefined,
  trans: TranslationBundle
): string {
  const counts = attempt === undefined ? null : assertionCounts(attempt);
  const heldOut = countPassed(attempt?.assertions ?? [], 'holdout').total;
  const metric = attempt?.verdict?.metric;
  const checked =
    counts === null
      ? null
      : heldOut > 0
        ? trans.__('%1 and %2 held out', countsText(counts, trans), heldOut)
        : countsText(counts, trans);
  return [
    checked,
    metric ? metricText(metric) : null,
    formatDuration(
      session.lastAt - session.startedAt - (session.waitedMs ?? 0),
      trans
    ),
    formatTokens(outcome.usage, trans),
    session.model?.recorded
      ? null
      : formatCost(outcome.usage, hasCostLimit(session), trans)
  ]
    .filter(fact => fact !== null)
    .join(' · ');
}

/** What became of the cell; names the attempt when it is not the one that passed. */
function acceptedSentence(
  accepted: AcceptState,
  passed: number,
  trans: TranslationBundle
): string {
  const message = visibleText(accepted.message);
  return accepted.attempt === passed || !isWritten(accepted)
    ? message
    : trans.__('Attempt %1: %2', accepted.attempt, message);
}

/** A pass without assertions says so. */
function checkedByOther(
  outcome: Outcome,
  trans: TranslationBundle
): string | null {
  switch (outcome.checkedBy) {
    case 'judge':
      return trans.__('The judge accepted it. No assertions were run.');
    case 'human':
      return trans.__('You accepted it. No assertions were run.');
    case 'none':
      return trans.__('Nothing checked it.');
    case 'assertions':
    case 'scorer':
      return null;
  }
}

function CleanCheck(props: {
  readonly check: NonNullable<RefineView['cleanCheck']>;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { status, message } = props.check;
  switch (status) {
    case 'running':
      return (
        <p className="jp-Refine-quiet">
          {visibleText(message)}{' '}
          <LinkButton onClick={() => manager.stop()}>
            {trans.__('Stop')}
          </LinkButton>
        </p>
      );
    case 'passed':
      return <p className="jp-Refine-pass">✓ {visibleText(message)}</p>;
    case 'unknown':
      return <p className="jp-Refine-quiet">{visibleText(message)}</p>;
    case 'failed':
      return <p className="jp-Refine-problem">✗ {visibleText(message)}</p>;
  }
}
