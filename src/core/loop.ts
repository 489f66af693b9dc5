/** The loop: from a request to an outcome, as a stream of events over four ports. */
import {
  checkBestAgain,
  checkTarget,
  makeAttempt,
  runEdited
} from './attempt/attempt';
import type { AttemptContext, Times } from './attempt/context';
import { EventChannel } from './session/channel';
import { feedbackNamed, requireEvaluators } from './extensions';
import { hasChecks, isCheckable, isOpenEnded } from './domain/checks/checks';
import { NO_EXTENSIONS, type CheckDeps, type RefineDeps } from './deps';
import type { RefineEvent } from './events/events';
import { SessionStream } from './session/eventStream';
import { outcomeOf } from './attempt/finish';
import { initialState } from './events/fold';
import {
  approval,
  askToGoOn,
  followSteering,
  requireHuman
} from './session/human';
import { nextTemperature } from './stopping/turns';
import type { ILanguageModel } from './domain/model';
import type { Outcome } from './domain/outcome';
import {
  anyOf,
  attemptsStarted,
  maxAttempts,
  whenPassed,
  whenReached,
  whenPlateau,
  whenRuns,
  whenUncheckable,
  type Policy
} from './stopping/policy';
import { isBlankTarget } from './python/blank';
import { Permits } from './session/budget/permits';
import type { RefineRequest } from './domain/request';
import { CheckRevisions } from './attempt/revision';
import { plannedJudgement } from './evaluators/judge';
import { requireScorer, startSession } from './attempt/start';
import {
  Session,
  SessionStop,
  stopAfter,
  type PlannedCall
} from './session/session';
import { standardEvaluators } from './evaluators/standardEvaluators';
import type { SessionState } from './events/state';
import { WatchedModel } from './session/watchedModel';
import { withWorkflow } from './domain/workflow';

export type { RefineDeps } from './deps';

/**
 * Refine one cell. Events come in order, `session-start` first and
 * `session-end` last, exactly once, whatever happens; the return value is the
 * outcome that `session-end` carries. Nothing runs before the first `next()`.
 * `return()` stops the session, waits for it and gives its `session-end`.
 *
 * @param earlier - an ended session to continue: attempt numbers continue,
 * its attempts are remembered and its usage counts; `maxAttempts` and
 * `sessionTimeout` start again.
 */
export function refine(
  request: RefineRequest,
  deps: RefineDeps,
  earlier?: SessionState
): AsyncGenerator<RefineEvent, Outcome> {
  return stream(request, deps, deps.generator, earlier);
}

/** Check what the target holds, also when that is nothing; needs no model. */
export function check(
  request: RefineRequest,
  deps: CheckDeps
): AsyncGenerator<RefineEvent, Outcome> {
  return stream(request, deps, null, undefined);
}

function stream(
  asked: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null,
  earlier: SessionState | undefined
): SessionStream {
  const request = {
    ...asked,
    options: withWorkflow(asked.options, asked.scorer !== undefined)
  };
  const channel = new EventChannel(deps.clock);
  return new SessionStream(channel, () => {
    const session = new Session({
      state: {
        ...(earlier ?? initialState(request.session)),
        session: request.session
      },
      clock: deps.clock,
      channel,
      stop: deps.signal,
      timeoutMs: request.options.sessionTimeout * 1000,
      limits: request.options
    });
    return {
      outcome: drive(session, request, deps, generator, earlier ?? null),
      stop: () => session.abort('stopped')
    };
  });
}

async function drive(
  session: Session,
  request: RefineRequest,
  given: CheckDeps,
  writer: ILanguageModel | null,
  earlier: SessionState | null
): Promise<Outcome> {
  const watched = (model: ILanguageModel | null | undefined) =>
    model ? new WatchedModel(model, session) : null;
  const generator = watched(writer);
  // The user's own code is tried without a model.
  const attempting = generator !== null || given.steering?.hasEdited === true;
  const deps: CheckDeps = {
    ...given,
    evaluatorModel: watched(given.evaluatorModel)
  };
  const times: Times = {
    modelMs: earlier?.outcome?.modelMs ?? 0,
    kernelMs: earlier?.outcome?.kernelMs ?? 0
  };
  const room: AttemptContext['room'] = { tokens: Infinity };
  let stop: SessionStop;
  let unlisten = () => {};
  try {
    session.startTimer();
    const isolation = await startSession(session, request, deps, generator);
    const { extensions = NO_EXTENSIONS } = deps;
    if (!deps.evaluators) {
      requireEvaluators(request.options.evaluators, extensions);
    }
    if (attempting) {
      requireHuman(request, deps);
    }
    if (attempting && !deps.evaluators) {
      await requireScorer(session, request, deps.executor, isolation);
    }
    unlisten = followSteering(session, deps.steering);
    const contextOf = (checkedRequest: RefineRequest): AttemptContext => ({
      session,
      request: checkedRequest,
      executor: deps.executor,
      evaluators:
        deps.evaluators ??
        standardEvaluators({
          session,
          request: checkedRequest,
          extensions,
          judge: judgeOf(checkedRequest, deps, generator),
          human: attempting && deps.review ? deps.review : null,
          onModelTime: ms => {
            times.modelMs += ms;
          }
        }),
      feedback: feedbackNamed(
        checkedRequest.options.feedback,
        extensions,
        message => session.warn(message)
      ),
      checked: hasChecks(checkedRequest),
      approve: approval(session, checkedRequest, deps.ask),
      permits: new Permits(session, deps.permit),
      isolated: isolation.mode !== 'live' && isolation.memory,
      times,
      room,
      firstAttempt: earlier ? nextNumber(session.state) : 0,
      lastAttempt,
      revisions,
      judging: judgementAhead(checkedRequest, deps, generator),
      condenser: judgeOf(checkedRequest, deps, generator)
    });
    const lastAttempt =
      nextNumber(session.state) + request.options.maxAttempts - 1;
    const revisions = new CheckRevisions(session, deps, changed => ({
      ...contextOf(changed),
      // What was made before ran against other checks: nothing repeats it.
      firstAttempt: nextNumber(session.state)
    }));
    const context = contextOf(request);
    stop = await attempts(context, deps, generator, earlier);
  } catch (error) {
    stop = stopAfter(error);
  }
  unlisten();
  const outcome = outcomeOf(session.state, stop, times);
  session.emit({ type: 'session-end', outcome });
  session.dispose();
  return outcome;
}

/** Self-refine is one model in all roles. */
function judgeOf(
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null
): ILanguageModel | null {
  return request.options.workflow === 'self-refine'
    ? generator
    : (deps.evaluatorModel ?? generator);
}

/** What the built-in judge will be asked about each candidate; null where none is. */
function judgementAhead(
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null
): PlannedCall | null {
  const judge = judgeOf(request, deps, generator);
  return judge &&
    !deps.evaluators &&
    request.options.evaluators.includes('judge')
    ? plannedJudgement(request, judge)
    : null;
}

/** Attempt 0, then attempts until a policy has a reason to stop. */
async function attempts(
  start: AttemptContext,
  deps: CheckDeps,
  generator: ILanguageModel | null,
  earlier: SessionState | null
): Promise<SessionStop> {
  const { session, request, revisions } = start;
  let context = start;
  if (
    !earlier &&
    (generator === null || !isBlankTarget(request.target, request.language))
  ) {
    await checkTarget(context);
    context = await revisions.follow(context);
    if (
      bestPassed(session) &&
      !request.followUp &&
      (generator === null || !isOpenEnded(context.request)) &&
      deps.steering?.hasEdited !== true &&
      !(await askToGoOn(session, deps, generator))
    ) {
      return new SessionStop('passed');
    }
  }
  if (generator && request.repair && !isChecked(context) && !earlier) {
    // Edited since it failed, the cell may run by now.
    const runs = whenRuns(session.state);
    if (runs) {
      return new SessionStop(runs);
    }
  }
  if (generator === null) {
    return editedAttempts(context, deps);
  }
  const first = nextNumber(session.state);
  if (earlier && skipsMore(earlier.request, request)) {
    await checkBestAgain(context, first);
    if (whenPassed(first)(session.state) && !isOpenEnded(request)) {
      return new SessionStop('passed');
    }
  }
  const started = attemptsStarted(session.state);
  const { maxAttempts: limit, temperature } = request.options;
  const before = maxAttempts(limit, started);
  for (;;) {
    const limited = before(session.state);
    if (limited) {
      return new SessionStop(limited);
    }
    await session.waitWhilePaused(deps.steering);
    const edited = deps.steering?.takeEdited() ?? null;
    context = await revisions.follow(context);
    const number = nextNumber(session.state);
    if (edited) {
      await runEdited(context, number, edited);
    } else {
      await makeAttempt(
        context,
        number,
        generator,
        nextTemperature(session, number, temperature)
      );
    }
    context = await revisions.follow(context);
    const reason = afterAttempt(context, first)(session.state);
    if (reason) {
      return new SessionStop(reason);
    }
  }
}

/** Without a model: what the user wrote, until one passes or none is left. */
async function editedAttempts(
  start: AttemptContext,
  { steering }: CheckDeps
): Promise<SessionStop> {
  const { session, revisions } = start;
  const first = nextNumber(session.state);
  let context = start;
  for (;;) {
    const edited = steering?.takeEdited() ?? null;
    if (edited === null) {
      return new SessionStop(isChecked(context) ? 'max-attempts' : 'no-checks');
    }
    context = await revisions.follow(context);
    await runEdited(context, nextNumber(session.state), edited);
    context = await revisions.follow(context);
    const reason = afterAttempt(context, first)(session.state);
    if (reason) {
      return new SessionStop(reason);
    }
  }
}

function isChecked({ checked, evaluators }: AttemptContext): boolean {
  return isCheckable(checked, evaluators);
}

/** What may end the session after an attempt. */
function afterAttempt(context: AttemptContext, first: number): Policy {
  const { request } = context;
  const { targetScore, patience } = request.options;
  const plateau = whenPlateau(patience, first);
  return !isChecked(context)
    ? request.repair
      ? whenRuns
      : whenUncheckable
    : isOpenEnded(request)
      ? plateau
      : anyOf(
          whenPassed(first),
          // A value of the metric that reaches its target is part of a pass.
          ...(request.scorer ? [] : [whenReached(targetScore, first)]),
          plateau
        );
}

/** The user has left out a check since. */
function skipsMore(before: RefineRequest | null, now: RefineRequest): boolean {
  const count = (request: RefineRequest | null) =>
    (request?.assertions ?? []).flatMap(cell => cell.skipped ?? []).length;
  return count(now) > count(before);
}

function bestPassed(session: Session): boolean {
  return session.state.attempts[0]?.verdict?.evaluation === 'pass';
}

function nextNumber(state: SessionState): number {
  return Math.max(0, ...state.attempts.map(a => a.attempt)) + 1;
}
