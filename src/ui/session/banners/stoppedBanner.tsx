import * as React from 'react';
import { useState } from 'react';
import { hasChecks } from '../../../core/domain/checks/checks';
import type { OpenDispute, Outcome } from '../../../core/domain/outcome';
import { heldSomething } from '../../../core/events/best';
import { attemptsLeft, MORE_ATTEMPTS } from '../../../core/events/history';
import type { SessionState } from '../../../core/events/state';
import {
  canRestore,
  isWritten,
  type AcceptState,
  type TargetView
} from '../../../tokens';
import { Banner } from '../../shared/banner';
import { Button } from '../../shared/button';
import { DraftButton } from '../../shared/draftButton';
import { KeyForm } from '../../setup/keyForm';
import { canDraft, PossibleChecks } from '../../setup/noChecks';
import { visibleText } from '../../shared/safeText';
import { PrimaryContext, usePanelServices } from '../../shared/services';
import {
  hasFailed,
  onlyChecked,
  stoppedReasons,
  stoppedTitle
} from '../sessionWords';
import { AssertionItem } from '../../attempts/assertionList';

type StoppedBannerProps = {
  readonly session: SessionState;
  readonly outcome: Outcome;
  readonly accepted: AcceptState | null;
  /** The cell is gone: there is nothing to write to, or to continue. */
  readonly deleted: boolean;
  /** False where the server's policy lets nobody enter a key. */
  readonly takesKeys: boolean;
  /** Cells that could check the target. */
  readonly candidates: TargetView['candidatesForAssertion'];
  readonly onGiveHint: () => void;
};

/** An end without a pass: why, what is best so far, and the ways on. */
export function StoppedBanner(props: StoppedBannerProps): JSX.Element {
  const { trans } = usePanelServices();
  const { session, outcome, accepted, takesKeys } = props;
  const [key, setKey] = useState<'missing' | 'entering' | 'entered'>('missing');
  const checked = onlyChecked(session);
  if (checked !== null) {
    return (
      <Banner
        tone={
          outcome.stopReason === 'no-checks'
            ? 'quiet'
            : checked.passed > 0
              ? 'some'
              : 'none'
        }
        title={stoppedTitle(session, outcome, trans)}
        lines={outcome.error ? [visibleText(outcome.error.message)] : []}
      />
    );
  }
  const lines =
    accepted !== null && accepted.message !== ''
      ? [accepted.message]
      : outcome.stopReason === 'target-changed' && !props.deleted
        ? [trans.__('The cell is back. All attempts are kept.')]
        : stoppedReasons(session, outcome, trans);
  return (
    <Banner
      tone={
        outcome.stopReason === 'no-checks'
          ? 'quiet'
          : session.best === null
            ? 'none'
            : 'some'
      }
      title={stoppedTitle(session, outcome, trans)}
      lines={lines.map(visibleText)}
      details={
        outcome.dispute ? (
          <DisputeView dispute={outcome.dispute} />
        ) : canDraftChecks(session, outcome) ? (
          <PossibleChecks candidates={props.candidates} />
        ) : null
      }
      actions={
        props.deleted || key === 'entering' ? null : outcome.error?.code ===
            'unauthorized' &&
          takesKeys &&
          key === 'missing' ? (
          <>
            <Button primary onClick={() => setKey('entering')}>
              {trans.__('Enter a key…')}
            </Button>
            <PrimaryContext.Provider value={false}>
              <StoppedActions {...props} />
            </PrimaryContext.Provider>
          </>
        ) : (
          <StoppedActions {...props} />
        )
      }
    >
      {key === 'entering' ? (
        <KeyForm
          onDone={saved => setKey(saved === true ? 'entered' : 'missing')}
        />
      ) : null}
    </Banner>
  );
}

/** Restores the cell, or writes the best attempt; nothing where there is none. */
function BestAction(props: StoppedBannerProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { session, accepted } = props;
  const best = session.attempts.find(a => a.attempt === session.best);
  return (
    <>
      {canRestore(accepted) ? (
        <Button onClick={() => perform(() => manager.restore())}>
          {trans.__('Restore cell')}
        </Button>
      ) : null}
      {isWritten(accepted) ? null : best !== undefined &&
        heldSomething(best) &&
        session.request?.options.keepBest !== 'never' ? (
        <Button onClick={() => perform(() => manager.accept(best.attempt))}>
          {trans.__('Use attempt %1', best.attempt)}
        </Button>
      ) : null}
    </>
  );
}

/** The cell has no checks, so further attempts cannot pass either: a model can draft some. */
function canDraftChecks(
  { request, isolation }: SessionState,
  { stopReason, error }: Outcome
): boolean {
  return (
    stopReason === 'no-checks' &&
    error === undefined &&
    request !== null &&
    !hasChecks(request) &&
    canDraft(request.language, isolation)
  );
}

function StoppedActions(props: StoppedBannerProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { session, outcome, onGiveHint } = props;
  if (outcome.dispute) {
    return (
      <>
        <DisputeActions dispute={outcome.dispute} />
        <BestAction {...props} />
      </>
    );
  }
  const again = hasFailed(outcome) || outcome.error?.code === 'scorer-broken';
  const technical =
    again ||
    outcome.stopReason === 'kernel-died' ||
    outcome.stopReason === 'kernel-restarted' ||
    outcome.stopReason === 'target-changed';
  const stopped = outcome.stopReason === 'stopped';
  const unchecked = canDraftChecks(session, outcome);
  return (
    <>
      {unchecked ? <DraftButton primary /> : null}
      <BestAction {...props} />
      {technical ? (
        <Button
          primary
          onClick={() =>
            perform(() =>
              outcome.attempts === 0
                ? manager.refine()
                : manager.moreAttempts(attemptsLeft(session))
            )
          }
        >
          {again ? trans.__('Try again') : trans.__('Resume')}
        </Button>
      ) : (
        <>
          {stopped ? (
            <Button
              primary
              onClick={() =>
                perform(() => manager.moreAttempts(attemptsLeft(session)))
              }
            >
              {trans.__('Resume')}
            </Button>
          ) : null}
          <Button primary={!stopped && !unchecked} onClick={onGiveHint}>
            {trans.__('Give a hint')}
          </Button>
          {stopped || unchecked ? null : (
            <Button
              onClick={() => perform(() => manager.moreAttempts(MORE_ATTEMPTS))}
            >
              {trans.__('Try %1 more', MORE_ATTEMPTS)}
            </Button>
          )}
        </>
      )}
    </>
  );
}

/** A disputed check: what it says, why the model objects, and what the best candidate gives. */
function DisputeView(props: { readonly dispute: OpenDispute }): JSX.Element {
  const { trans } = usePanelServices();
  const { check, reason, given } = props.dispute;
  return (
    <div className="jp-Refine-dispute">
      {given ? null : (
        <pre tabIndex={0}>
          <code>{visibleText(check.source)}</code>
        </pre>
      )}
      <p className="jp-Refine-quiet">{trans.__('The model’s reason:')}</p>
      <blockquote>{visibleText(reason)}</blockquote>
      {given ? (
        <>
          <p className="jp-Refine-quiet">
            {given.attempt === 0
              ? trans.__('What the current code gives:')
              : trans.__('What attempt %1 gives:', given.attempt)}
          </p>
          <ul className="jp-Refine-assertions">
            <AssertionItem result={given.result} />
          </ul>
        </>
      ) : (
        <p className="jp-Refine-quiet">{trans.__('No code has run so far.')}</p>
      )}
    </div>
  );
}

/** The user decides: the check is wrong, right, or left out of this session. */
function DisputeActions(props: { readonly dispute: OpenDispute }): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { cellId, line } = props.dispute.check;
  return (
    <>
      <Button primary onClick={() => manager.editCell(cellId, line)}>
        {trans.__('Edit check')}
      </Button>
      <Button onClick={() => perform(() => manager.answerDispute('right'))}>
        {trans.__('The check is right, go on')}
      </Button>
      <Button onClick={() => perform(() => manager.answerDispute('skip'))}>
        {trans.__('Skip this check')}
      </Button>
    </>
  );
}
