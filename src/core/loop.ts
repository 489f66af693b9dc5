/** The loop: from a request to an outcome, as a stream of events over four ports. */
import { makeAttempt, runEdited, tryCode } from './attempt/attempt';
import type { CheckDeps, RefineDeps } from './deps';
import { decides, hasChecks, isOpenEnded } from './domain/checks/checks';
import {
  liveIsolation,
  toAllow,
  type DeniedSubject,
  type Execution,
  type Isolation
} from './domain/execution';
import { confirmedCounts } from './domain/checks/confirmation';
import { CHECKING_EVALUATORS } from './domain/evaluators';
import type { CheckedBy, Outcome, StopReason } from './domain/outcome';
import type { RefineRequest } from './domain/request';
import type { Verdict } from './domain/verdict';
import { withWorkflow } from './domain/workflow';
import { standardEvaluators } from './evaluators/standardEvaluators';
import { bestAttempt } from './events/best';
import { openDispute } from './events/disputes';
import type { RefineEvent } from './events/events';
import { initialState } from './events/fold';
import { reached, scoreHistory, standstill } from './events/history';
import type { SessionState } from './events/state';
import { chosenFeedback, requireEvaluators } from './extensions';
import { isBlankTarget } from './python/cell';
import { looksValid } from './python/syntax';
import { askToGoOn, requireHuman } from './session/human';
import {
  describeError,
  Session,
  SessionStop,
  stopAfter,
  stopAfterKernel
} from './session/session';
import { nextTemperature } from './attempt/turns';

export type { RefineDeps } from './deps';

/**
 * Refine one cell. Events come in order, `session-start` first and
 * `session-end` last, exactly once, whatever happens; the return value is the
 * outcome that `session-end` carries. Nothing runs before the first `next()`.
 * Leaving the stream stops the session and waits for it.
 *
 * @param earlier - an ended session to continue: attempt numbers continue,
 * its attempts are remembered and its usage counts; `maxAttempts` and
 * `sessionTimeout` start again.
 */
export async function* refine(
  asked: RefineRequest,
  deps: RefineDeps,
  earlier?: SessionState
): AsyncGenerator<RefineEvent, Outcome> {
  const request = {
    ...asked,
    options: withWorkflow(asked.options, asked.scorer !== undefined)
  };
  const events: RefineEvent[] = [];
  let wake = () => {};
  const state = { ...(earlier ?? initialState('')), session: request.session };
  const session = new Session(request, deps, state, event => {
    events.push(event);
    wake();
  });
  let isOver = false;
  const running = drive(session, earlier ?? null).finally(() => {
    isOver = true;
    wake();
  });
  try {
    while (!isOver || events.length > 0) {
      const event = events.shift();
      if (event) {
        yield event;
      } else {
        await new Promise<void>(resolve => (wake = resolve));
      }
    }
  } finally {
    session.abort('stopped');
    await running;
  }
  return running;
}

/** Check what the target holds, also when that is nothing; needs no model. */
export function check(
  request: RefineRequest,
  deps: CheckDeps
): AsyncGenerator<RefineEvent, Outcome> {
  return refine(request, { ...deps, generator: null });
}

async function drive(
  session: Session,
  earlier: SessionState | null
): Promise<Outcome> {
  const { request, deps } = session;
  const { generator, steering, evaluators } = deps;
  // The user's own code is tried without a model.
  const isAttempting = generator !== null || steering?.hasEdited === true;
  let stop: SessionStop;
  let unlisten: (() => void) | undefined;
  try {
    session.startTimer();
    await startSession(session);
    if (!evaluators) {
      requireEvaluators(session);
    }
    if (isAttempting) {
      requireHuman(session);
    }
    unlisten = steering?.follow(event => session.emit(event));
    const next = nextNumber(session.state);
    session.firstAttempt = earlier ? next : 0;
    session.lastAttempt = next + request.options.maxAttempts - 1;
    session.evaluators =
      evaluators ?? standardEvaluators(session, isAttempting);
    session.feedback = chosenFeedback(session);
    stop = new SessionStop(await attempts(session, earlier));
  } catch (error) {
    stop = stopAfter(error);
  }
  unlisten?.();
  const outcome = outcomeOf(session, stop);
  session.emit({ type: 'session-end', outcome });
  session.dispose();
  return outcome;
}

/** Prepare the kernel and report the start, also when there is no kernel to prepare. */
async function startSession(session: Session): Promise<void> {
  const { request, deps } = session;
  const start = (isolation: Isolation) =>
    session.emit({
      type: 'session-start',
      request,
      // The user's own code goes on from a session of a model without one.
      model: deps.generator?.identity ?? session.state.model,
      isolation
    });
  try {
    start(await session.wait(deps.executor.prepare(session.signal)));
  } catch (error) {
    const { message } = describeError(error);
    start(liveIsolation(error instanceof SessionStop ? [] : [message]));
    session.signal.throwIfAborted();
    throw stopAfterKernel(error);
  }
  const { changed = [] } = request.repair ?? {};
  if (changed.length > 0) {
    session.warn(
      `Before it stopped, the failed run changed ${changed.join(', ')}. Attempts start from the changed values. To start from the old ones, run the cells above again.`
    );
  }
}

/** Attempt 0, then attempts until there is a reason to stop. */
async function attempts(
  session: Session,
  earlier: SessionState | null
): Promise<StopReason> {
  const { request, deps } = session;
  const { generator, steering } = deps;
  if (
    !earlier &&
    (generator === null ||
      !isBlankTarget(request.target, request.language) ||
      // Python itself decides, before the first call.
      !request.assertions.every(cell => looksValid(cell, request.language)))
  ) {
    await tryCode(session, 0, request.target.source);
    if (
      session.state.attempts[0]?.verdict?.evaluation === 'pass' &&
      !request.followUp &&
      (generator === null || !isOpenEnded(request)) &&
      steering?.hasEdited !== true &&
      !(await askToGoOn(session))
    ) {
      return 'passed';
    }
  }
  if (
    generator &&
    request.repair &&
    !isChecked(session) &&
    !earlier &&
    // Edited since it failed, the cell may run by now.
    isDone(session)
  ) {
    return 'runs';
  }
  const first = nextNumber(session.state);
  const found = session.state.attempts.find(
    ({ attempt }) => attempt === session.state.best
  );
  const skipped = (of: RefineRequest) =>
    of.assertions.flatMap(cell => cell.skipped ?? []).length;
  const before = skipped(earlier?.request ?? request);
  if (generator && found?.code && skipped(request) > before) {
    // The user has left out a check since: the best candidate may pass without it.
    const thoughts = `The code of attempt ${found.attempt} again, without the skipped check.`;
    await tryCode(session, first, found.code, thoughts);
    session.lastAttempt++;
    if (reasonToStop(session, first) === 'passed') {
      return 'passed';
    }
  }
  const offered = new Set<DeniedSubject>();
  for (;;) {
    const number = nextNumber(session.state);
    if (generator) {
      if (number > session.lastAttempt) {
        return 'max-attempts';
      }
      const last = session.state.attempts.at(-1);
      const message = brokenCheck(request, last?.execution);
      if (message !== null && last!.attempt >= session.firstAttempt) {
        throw new SessionStop('no-checks', {
          code: 'broken-check',
          kind: 'input',
          message
        });
      }
      const denied = toAllow(last?.execution ?? null);
      if (steering && denied && !offered.has(denied) && !steering.hasEdited) {
        offered.add(denied);
        session.warn(
          'Paused, because it was blocked. Allow it below and try again, or continue without it.',
          last!.attempt
        );
        steering.pause();
      }
      await session.waitWhilePaused();
    }
    const edited = steering?.takeEdited() ?? null;
    if (edited) {
      await runEdited(session, number, edited);
    } else if (generator) {
      const { temperature } = request.options;
      const warmth = nextTemperature(session, number, temperature);
      await makeAttempt(session, number, generator, warmth);
    } else {
      return isChecked(session) ? 'max-attempts' : 'no-checks';
    }
    const reason = reasonToStop(session, first);
    if (reason) {
      return reason;
    }
  }
}

/** The scorer or check that fails whatever the candidate is; null: none. */
function brokenCheck(
  { assertions }: RefineRequest,
  execution: Execution | null | undefined
): string | null {
  const scorer = execution?.scored?.broken;
  if (scorer !== undefined) {
    return `The scorer failed: ${scorer.replace(/\.$/, '')}. Fix it, or run the cells that it depends on, then refine again.`;
  }
  const check = execution?.assertions.find(
    ({ error }) => error?.message.startsWith(INVALID_CHECK) === true
  );
  const index = assertions.find(c => c.cellId === check?.cellId)?.index ?? 0;
  return check
    ? `Cell ${index + 1}: ${check.error!.message}. Correct it, then refine again.`
    : null;
}

/** Starts the kernel's message of a check cell that Python does not compile. */
const INVALID_CHECK = 'the check is not valid Python';

/** Somebody gives a verdict: a check, or another required evaluator. */
function isChecked({ request, evaluators }: Session): boolean {
  return hasChecks(request) || evaluators.some(decides);
}

/**
 * What ends the session after an attempt; null to continue.
 *
 * @param first - attempt that counts: the session continued after those before it.
 */
function reasonToStop(session: Session, first: number): StopReason | null {
  const { request, state } = session;
  const { targetScore, patience } = request.options;
  if (!isChecked(session)) {
    const reason = request.repair ? 'runs' : 'no-checks';
    return isDone(session) ? reason : null;
  }
  if (!isOpenEnded(request)) {
    const made = state.attempts.filter(({ attempt }) => attempt >= first);
    if (made.some(({ verdict }) => verdict?.evaluation === 'pass')) {
      return 'passed';
    }
    // A value of the metric that reaches its target is part of a pass.
    if (!request.scorer && reached(state, targetScore, first)) {
      return 'target';
    }
  }
  return patience !== null && standstill(state, first) >= patience
    ? 'patience'
    : null;
}

/**
 * Where nothing checks the target: what the model wrote ran without error, if it is code.
 * An error to fix is fixed, and not only hidden.
 */
function isDone({ request, state }: Session): boolean {
  const last = state.attempts.at(-1);
  const { status = request.repair ? null : 'completed' } =
    last?.execution ?? {};
  return (
    last?.failure === null &&
    status === 'completed' &&
    (request.repair ? last.verdict?.evaluation === 'unknown' : last.attempt > 0)
  );
}

function nextNumber(state: SessionState): number {
  return Math.max(0, ...state.attempts.map(a => a.attempt)) + 1;
}

/** Whatever ended the session. */
function outcomeOf({ state, times }: Session, stop: SessionStop): Outcome {
  const best = state.attempts.find(a => a.attempt === state.best) ?? null;
  const verdict = best?.verdict ?? null;
  const passed = verdict?.evaluation === 'pass';
  const confirmed = passed ? confirmedCounts(best) : undefined;
  const dispute = stop.reason === 'disputed' ? openDispute(state) : null;
  return {
    passed,
    ...(confirmed ? { confirmed } : {}),
    checkedBy: checkedBy(verdict),
    stopReason: stop.reason,
    best: best ? bestAttempt(best) : null,
    ...(dispute ? { dispute } : {}),
    attempts: state.attempts.filter(a => a.attempt > 0).length,
    scoreHistory: scoreHistory(state),
    converged: hasConverged(state, verdict),
    usage: state.usage,
    ...times,
    ...(stop.error ? { error: stop.error } : {})
  };
}

/** A pass that no better value is wanted of, at its target, or standing still above nothing at all. */
function hasConverged(state: SessionState, best: Verdict | null): boolean {
  const { request } = state;
  if (!request) {
    return false;
  }
  const { targetScore, patience } = request.options;
  return (
    (best?.evaluation === 'pass' && !isOpenEnded(request)) ||
    reached(state, targetScore) ||
    (patience !== null &&
      standstill(state) >= patience &&
      (best?.metric !== undefined || (best?.score ?? 0) > 0))
  );
}

/** The strongest evaluator that had something to say of the best attempt. */
function checkedBy(verdict: Verdict | null): CheckedBy {
  const spoke = (verdict?.parts ?? (verdict ? [verdict] : []))
    .filter(part => part.evaluation !== 'unknown' && part.total !== 0)
    .map(part => part.evaluator);
  return CHECKING_EVALUATORS.find(name => spoke.includes(name)) ?? 'none';
}
