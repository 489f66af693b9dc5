/** How the shown session ended, in a banner: why, its numbers, what one can do. */
import * as React from 'react';
import { useContext, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  passConfirmation,
  type Confirmation
} from '../../core/domain/checks/confirmation';
import { hasChecks } from '../../core/domain/checks/checks';
import { countPassed } from '../../core/domain/execution';
import type { OpenDispute, Outcome } from '../../core/domain/outcome';
import { RUNS_UNCHECKED } from '../../core/domain/repair';
import { isUsable } from '../../core/events/best';
import { assertionCounts } from '../../core/events/counts';
import { attemptsLeft, MORE_ATTEMPTS } from '../../core/events/history';
import type { AttemptState, SessionState } from '../../core/events/state';
import {
  checkName,
  isEverywhere,
  unconfirmedLabel,
  unconfirmedSummary
} from '../../core/text/confirmationWords';
import {
  canRestore,
  isWritten,
  takesKeys,
  type RefineView
} from '../../tokens';
import { AssertionItem } from '../attempts/assertionList';
import { canDraft, DraftButton } from '../prompt/checks';
import { KeyForm } from '../setup/keyForm';
import { Button, LinkButton, useFirst } from '../shared/button';
import { formatCost, formatDuration, formatTokens } from '../shared/format';
import { visibleText } from '../shared/safeText';
import { countsText, metricText, type Tone } from '../shared/score';
import { PrimaryContext, usePanelServices } from '../shared/services';
import {
  endTitle,
  hasFailed,
  lacksChecks,
  onlyChecked,
  stoppedReasons
} from './sessionWords';

type EndProps = {
  readonly view: RefineView;
  readonly session: SessionState;
  readonly onGiveHint: () => void;
};

export function SessionEnd(props: EndProps): JSX.Element {
  const { outcome } = props.session;
  if (outcome === null) {
    return <Interrupted {...props} />;
  }
  if (outcome.stopReason === 'runs') {
    return <Runs {...props} />;
  }
  return outcome.passed ? (
    <Passed {...props} outcome={outcome} />
  ) : onlyChecked(props.session) ? (
    <Checked {...props} outcome={outcome} />
  ) : (
    <Stopped {...props} outcome={outcome} />
  );
}

type EndedProps = EndProps & { readonly outcome: Outcome };

function Banner(props: {
  readonly tone: Tone;
  readonly title: string;
  /** Quiet lines under the title. */
  readonly lines: readonly string[];
  /** What must not be overlooked. */
  readonly warning?: string | null;
  /** What the warning is about, in full. */
  readonly details?: React.ReactNode;
  /** The row of buttons. */
  readonly actions?: React.ReactNode;
  /** What follows the buttons. */
  readonly children?: React.ReactNode;
}): JSX.Element {
  const { tone, title, lines, warning, details, actions, children } = props;
  return (
    <section className="jp-Refine-section jp-Refine-banner">
      <h3 className={`jp-mod-${tone}`} tabIndex={-1} data-refine-landing="">
        {tone === 'pass' ? <span aria-hidden="true">✓ </span> : null}
        {title}
      </h3>
      {lines.map((line, i) => (
        <p key={i} className="jp-Refine-quiet">
          {visibleText(line)}
        </p>
      ))}
      {warning ? (
        <p className="jp-Refine-warn">{visibleText(warning)}</p>
      ) : null}
      {details}
      {actions ? <div className="jp-Refine-buttons">{actions}</div> : null}
      {children}
    </section>
  );
}

function UseButton(props: {
  readonly attempt: number;
  readonly primary?: boolean;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { attempt, primary } = props;
  return (
    <Button primary={primary} onClick={() => manager.accept(attempt)}>
      {trans.__('Use attempt %1', attempt)}
    </Button>
  );
}

function RestoreButton(props: { readonly view: RefineView }) {
  const { manager, trans } = usePanelServices();
  return canRestore(props.view.accepted) ? (
    <Button onClick={() => manager.restore()}>
      {trans.__('Restore cell')}
    </Button>
  ) : null;
}

/** A session that a reload of the page cut off; its attempts come from the journal. */
function Interrupted({ view, session }: EndProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const best = bestOf(session);
  return (
    <Banner
      tone="some"
      title={endTitle(session, trans)}
      lines={[
        view.accepted?.message ||
          trans.__(
            'All attempts are kept. Nothing is running, and nothing was written to the cell.'
          )
      ]}
      actions={
        <>
          {best !== undefined && isUsable(best) ? (
            <UseButton attempt={best.attempt} />
          ) : null}
          <Button
            primary
            onClick={() => manager.moreAttempts(attemptsLeft(session))}
          >
            {trans.__('Resume')}
          </Button>
        </>
      }
    />
  );
}

/** An error is fixed and nothing checks the cell: neither a pass nor a failure. */
function Runs({ view, session }: EndProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { accepted } = view;
  const best = bestOf(session);
  const changed = best !== undefined && best.attempt > 0 ? best.attempt : null;
  const doubts = (best?.verdict?.reasons ?? []).filter(
    reason => reason !== RUNS_UNCHECKED
  );
  return (
    <Banner
      tone="quiet"
      title={endTitle(session, trans)}
      lines={[
        accepted?.message ||
          (changed === null
            ? trans.__('The cell runs as it is now. Nothing was changed.')
            : trans.__(
                'Attempt %1 runs without the error. It is not in the cell.',
                changed
              )),
        ...doubts
      ]}
      actions={
        <>
          <RestoreButton view={view} />
          {changed === null || canRestore(accepted) ? null : (
            <Button
              primary
              title={trans.__(
                'Write attempt %1 to the cell and run it',
                changed
              )}
              onClick={() => manager.accept(changed, true)}
            >
              {trans.__('Write and run')}
            </Button>
          )}
          {canDraft(session.request?.language, session.isolation) ? (
            <DraftButton />
          ) : null}
        </>
      }
    />
  );
}

/** A pass: what checked it, what it took, and what becomes of the cell. */
function Passed({ view, session, outcome }: EndedProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { accepted, cleanCheck, standing } = view;
  const number = outcome.best?.attempt ?? session.best ?? 0;
  const attempt = session.attempts.find(a => a.attempt === number);
  const written = isWritten(accepted);
  const found = outcome.confirmed ? passConfirmation(attempt?.execution) : null;
  const open = outcome.confirmed
    ? unconfirmedLabel(outcome.confirmed, trans)
    : '';
  const title = endTitle(session, trans);
  const isPlain = outcome.clean?.passed !== false && open === '' && !standing;
  return (
    <Banner
      tone={isPlain ? 'pass' : 'some'}
      title={
        standing
          ? trans.__('%1, %2', title, standing)
          : open === ''
            ? title
            : trans.__('%1; %2', title, open)
      }
      lines={[factsLine(session, outcome, attempt, trans)]}
      warning={
        checkedByOther(outcome, trans) ??
        (found && unconfirmedSummary(found, trans))
      }
      details={found ? <UnconfirmedList found={found} /> : null}
      actions={
        number === 0 ? null : (
          <>
            {written ? null : (
              <UseButton
                attempt={number}
                primary={accepted?.status !== 'edited'}
              />
            )}
            <RestoreButton view={view} />
            <Button
              title={trans.__('Compare it with the code at the start')}
              onClick={() => manager.compare({ left: 0, right: number })}
            >
              {trans.__('Compare')}
            </Button>
          </>
        )
      }
    >
      <p className="jp-Refine-quiet">
        {accepted?.message && !standing
          ? `${
              // Names the attempt when it is not the one that passed.
              written && accepted.attempt !== number
                ? trans.__(
                    'Attempt %1: %2',
                    accepted.attempt,
                    visibleText(accepted.message)
                  )
                : visibleText(accepted.message)
            } `
          : number > 0 && !written
            ? `${trans.__('It is not in the cell.')} `
            : ''}
        {cleanCheck === null &&
        session.request !== null &&
        hasChecks(session.request) ? (
          <LinkButton onClick={() => manager.checkClean()}>
            {trans.__('Check in a fresh kernel')}
          </LinkButton>
        ) : null}
      </p>
      {cleanCheck !== null ? <CleanCheck {...cleanCheck} /> : null}
    </Banner>
  );
}

/** Checks shown at once. */
const CHECKS = 8;

/** Which checks are not confirmed, and why. */
function UnconfirmedList(props: {
  readonly found: Confirmation;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [shown, more] = useFirst(props.found.reasons, CHECKS);
  // The summary says why, where no check can be confirmed.
  return shown.length === 0 || isEverywhere(props.found) ? null : (
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
      {more}
    </>
  );
}

/** `4 of 4 and 1 held out · 9.8 s · 2,780 tokens · $0.006`; `2 of 2 held out` where there is nothing else. */
function factsLine(
  session: SessionState,
  outcome: Outcome,
  attempt: AttemptState | undefined,
  trans: TranslationBundle
): string {
  const counts = attempt === undefined ? null : assertionCounts(attempt);
  const { assertions = [], verdict } = attempt ?? {};
  const heldOut = countPassed(assertions, 'holdout').total;
  return [
    counts === null
      ? null
      : heldOut === 0
        ? countsText(counts, trans)
        : heldOut === assertions.length
          ? trans.__('%1 held out', countsText(counts, trans))
          : trans.__('%1 and %2 held out', countsText(counts, trans), heldOut),
    verdict?.metric ? metricText(verdict.metric) : null,
    formatDuration(session.lastAt - session.startedAt, trans),
    formatTokens(outcome.usage, trans),
    formatCost(outcome.usage, trans, session)
  ]
    .filter(fact => fact !== null)
    .join(' · ');
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

function CleanCheck({
  status,
  message
}: NonNullable<RefineView['cleanCheck']>): JSX.Element {
  const { manager, trans } = usePanelServices();
  const text = visibleText(message);
  switch (status) {
    case 'running':
      return (
        <p className="jp-Refine-quiet">
          {text}{' '}
          <LinkButton onClick={() => manager.stop()}>
            {trans.__('Stop')}
          </LinkButton>
        </p>
      );
    case 'passed':
      return <p className="jp-Refine-pass">✓ {text}</p>;
    case 'unknown':
      return <p className="jp-Refine-quiet">{text}</p>;
    case 'failed':
      return <p className="jp-Refine-problem">✗ {text}</p>;
  }
}

/** What the cell holds was checked, and nothing was attempted. */
function Checked({ session, outcome }: EndedProps): JSX.Element {
  const { trans } = usePanelServices();
  return (
    <Banner
      tone={
        outcome.stopReason === 'no-checks'
          ? 'quiet'
          : onlyChecked(session)?.passed
            ? 'some'
            : 'none'
      }
      title={endTitle(session, trans)}
      lines={outcome.error ? [outcome.error.message] : []}
    />
  );
}

/** Errors of a model that another key or server ends; the demo knows its own notebook alone. */
const NEEDS_KEY = ['unauthorized', 'demo-only'];

/** An end without a pass: why, what is best so far, and the ways on. */
function Stopped(props: EndedProps): JSX.Element {
  const { trans } = usePanelServices();
  const { view, session, outcome } = props;
  const { target, accepted } = view;
  const isPrimary = useContext(PrimaryContext);
  const [key, setKey] = useState<'missing' | 'entering' | 'entered'>('missing');
  // Then there is nothing to write to, or to continue.
  const deleted = target?.deleted === true;
  const offersKey =
    NEEDS_KEY.includes(outcome.error?.code ?? '') &&
    takesKeys(view.models) &&
    key === 'missing';
  return (
    <Banner
      tone={
        outcome.stopReason === 'no-checks'
          ? 'quiet'
          : session.best === null
            ? 'none'
            : 'some'
      }
      title={endTitle(session, trans)}
      lines={
        accepted?.message
          ? [accepted.message]
          : outcome.stopReason === 'target-changed' && !deleted
            ? [trans.__('The cell is back. All attempts are kept.')]
            : stoppedReasons(session, outcome, trans)
      }
      details={
        outcome.dispute ? <DisputeView dispute={outcome.dispute} /> : null
      }
      actions={
        deleted || key === 'entering' ? null : (
          <>
            {offersKey ? (
              <Button primary onClick={() => setKey('entering')}>
                {trans.__('Enter a key…')}
              </Button>
            ) : null}
            <PrimaryContext.Provider value={isPrimary && !offersKey}>
              <StoppedActions {...props} />
            </PrimaryContext.Provider>
          </>
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

/** The cell has no checks, so further attempts cannot pass either: a model can draft some. */
function canDraftChecks(session: SessionState): boolean {
  return (
    lacksChecks(session) &&
    canDraft(session.request?.language, session.isolation)
  );
}

function StoppedActions(props: EndedProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { view, session, outcome, onGiveHint } = props;
  const { stopReason, dispute } = outcome;
  const again = hasFailed(outcome) || outcome.error?.code === 'broken-check';
  const technical =
    again ||
    stopReason === 'kernel-died' ||
    stopReason === 'kernel-restarted' ||
    stopReason === 'target-changed';
  const stopped = stopReason === 'stopped';
  const unchecked = canDraftChecks(session);
  const best = bestOf(session);
  return (
    <>
      {dispute ? <DisputeActions dispute={dispute} /> : null}
      {unchecked ? <DraftButton primary /> : null}
      <RestoreButton view={view} />
      {best !== undefined &&
      isUsable(best) &&
      !isWritten(view.accepted) &&
      session.request?.options.keepBest !== 'never' ? (
        <UseButton attempt={best.attempt} />
      ) : null}
      {technical || stopped ? (
        <Button
          primary
          onClick={() =>
            technical && outcome.attempts === 0
              ? manager.refine()
              : manager.moreAttempts(attemptsLeft(session))
          }
        >
          {again ? trans.__('Try again') : trans.__('Resume')}
        </Button>
      ) : null}
      {technical || dispute ? null : (
        <Button primary={!stopped && !unchecked} onClick={onGiveHint}>
          {trans.__('Give a hint')}
        </Button>
      )}
      {technical || dispute || stopped || unchecked ? null : (
        <Button onClick={() => manager.moreAttempts(MORE_ATTEMPTS)}>
          {trans.__('Try %1 more', MORE_ATTEMPTS)}
        </Button>
      )}
    </>
  );
}

function bestOf({ attempts, best }: SessionState): AttemptState | undefined {
  return attempts.find(({ attempt }) => attempt === best);
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
  const { manager, trans } = usePanelServices();
  const { cellId, line } = props.dispute.check;
  return (
    <>
      <Button primary onClick={() => manager.editCell(cellId, line)}>
        {trans.__('Edit check')}
      </Button>
      <Button onClick={() => manager.answerDispute('right')}>
        {trans.__('The check is right, go on')}
      </Button>
      <Button onClick={() => manager.answerDispute('skip')}>
        {trans.__('Skip this check')}
      </Button>
    </>
  );
}
