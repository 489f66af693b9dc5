/** The loop: from a request to an outcome, as a stream of events over four ports. */
import { checkTarget, makeAttempt } from './attempt';
import type { AttemptContext, Times } from './attemptRun';
import { EventChannel } from './channel';
import { isCheckable } from './checks';
import type { IClock } from './clock';
import type { RefineEvent } from './events';
import type { Isolation } from './execution';
import type { IExecutor } from './executor';
import { SessionStream } from './eventStream';
import { outcomeOf } from './finish';
import { initialState } from './fold';
import { FreshStarts } from './freshStarts';
import type { ILanguageModel } from './model';
import type { Outcome } from './outcome';
import {
  anyOf,
  attemptsBegun,
  maxAttempts,
  whenPassed,
  whenReached,
  whenStill,
  whenUncheckable
} from './policy';
import { isBlankSource } from './python';
import type { RefineRequest } from './request';
import { describeError, Session, SessionStop } from './session';
import { standardEvaluators } from './standardEvaluators';
import type { SessionState } from './state';
import type { Steering } from './steering';
import type { IEvaluator } from './verdict';
import { withWorkflow } from './workflow';

export type RefineDeps = {
  /** Writes the candidates; null checks what the target holds and ends. */
  readonly generator: ILanguageModel | null;
  /** Takes over when a fresh start did not help; null or none: nobody does. */
  readonly strongerModel?: ILanguageModel | null;
  readonly executor: IExecutor;
  /** Judges, where the settings ask for a judge; default: the generator. */
  readonly evaluatorModel?: ILanguageModel | null;
  /** Default: those that the settings ask for. */
  readonly evaluators?: readonly IEvaluator[];
  readonly clock: IClock;
  readonly steering?: Steering;
  /** Asked when the target passes as it is; default: do not go on. */
  readonly ask?: (subject: 'continue', signal: AbortSignal) => Promise<boolean>;
  /** The session's stop. */
  readonly signal: AbortSignal;
};

/**
 * Refine one cell. Events come in order, `session-start` first and
 * `session-end` last, exactly once, whatever happens; the return value is the
 * outcome that `session-end` carries. Nothing runs before the first `next()`.
 * `return()` stops the session, waits for it and gives its `session-end`.
 *
 * @param earlier - an ended session to go on with: attempt numbers continue,
 * its attempts are remembered and its usage counts; `maxAttempts` and
 * `sessionTimeout` start anew.
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
  deps: Omit<RefineDeps, 'generator'>
): AsyncGenerator<RefineEvent, Outcome> {
  return stream(request, deps, null, undefined);
}

function stream(
  asked: RefineRequest,
  deps: Omit<RefineDeps, 'generator'>,
  generator: ILanguageModel | null,
  earlier: SessionState | undefined
): SessionStream {
  const request = { ...asked, options: withWorkflow(asked.options) };
  const channel = new EventChannel();
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
  deps: Omit<RefineDeps, 'generator'>,
  generator: ILanguageModel | null,
  earlier: SessionState | null
): Promise<Outcome> {
  const times: Times = {
    modelMs: earlier?.outcome?.modelMs ?? 0,
    kernelMs: earlier?.outcome?.kernelMs ?? 0
  };
  let stop: SessionStop;
  let unlisten = () => {};
  try {
    session.startTimer();
    const isolation = await start(session, request, deps, generator);
    unlisten = steer(session, deps.steering);
    const context: AttemptContext = {
      session,
      request,
      executor: deps.executor,
      evaluators:
        deps.evaluators ??
        standardEvaluators({
          session,
          request,
          judge: judgeOf(request, deps, generator),
          onModelTime: ms => {
            times.modelMs += ms;
          }
        }),
      provisional: isolation.mode === 'fork' && isolation.memory,
      times
    };
    stop = await attempts(context, deps, generator, earlier);
  } catch (error) {
    stop =
      error instanceof SessionStop
        ? error
        : new SessionStop('model-error', describeError(error));
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
  deps: Omit<RefineDeps, 'generator'>,
  generator: ILanguageModel | null
): ILanguageModel | null {
  return request.options.workflow === 'self-refine'
    ? generator
    : (deps.evaluatorModel ?? generator);
}

/** Prepare the kernel and tell the start, also when there is no kernel to prepare. */
async function start(
  session: Session,
  request: RefineRequest,
  deps: Omit<RefineDeps, 'generator'>,
  generator: ILanguageModel | null
): Promise<Isolation> {
  const begin = (isolation: Isolation) =>
    session.emit({
      type: 'session-start',
      request,
      model: generator?.identity ?? null,
      isolation
    });
  try {
    const isolation = await session.wait(deps.executor.prepare(session.signal));
    begin(isolation);
    return isolation;
  } catch (error) {
    const told = describeError(error);
    begin(notIsolated(error instanceof SessionStop ? [] : [told.message]));
    session.check();
    throw new SessionStop(
      told.code === 'kernel-restarted' ? 'kernel-restarted' : 'kernel-died',
      { kind: 'kernel', ...told }
    );
  }
}

function notIsolated(reasons: readonly string[]): Isolation {
  return {
    mode: 'live',
    memory: false,
    files: 'open',
    network: false,
    reasons
  };
}

/** Attempt 0, then attempts until a policy has a reason to stop. */
async function attempts(
  context: AttemptContext,
  deps: Omit<RefineDeps, 'generator'>,
  generator: ILanguageModel | null,
  earlier: SessionState | null
): Promise<SessionStop> {
  const { session, request } = context;
  const begun = attemptsBegun(session.state);
  if (!earlier && (generator === null || !isBlank(request))) {
    await checkTarget(context);
    if (bestPassed(session) && !(await goOn(context, deps, generator))) {
      return new SessionStop('passed');
    }
  }
  if (generator === null) {
    return new SessionStop(
      isCheckable(request, context.evaluators) ? 'max-attempts' : 'no-checks'
    );
  }
  const { maxAttempts: limit, ...options } = request.options;
  const before = maxAttempts(limit, begun);
  const after = isCheckable(request, context.evaluators)
    ? anyOf(
        whenPassed,
        whenReached(options.targetScore),
        whenStill(options.patience, options.minDelta)
      )
    : whenUncheckable;
  const starts = new FreshStarts(session, options, {
    first: generator,
    stronger: deps.strongerModel ?? null
  });
  for (;;) {
    await session.waitWhilePaused(deps.steering);
    const limited = before(session.state);
    if (limited) {
      return new SessionStop(limited);
    }
    const number = nextNumber(session.state);
    await makeAttempt(context, number, starts.writer(number));
    const reason = after(session.state);
    if (reason) {
      return new SessionStop(reason);
    }
  }
}

function isBlank(request: RefineRequest): boolean {
  const { target, language } = request;
  return target.kind === 'code'
    ? isBlankSource(target.source, language)
    : target.source.trim() === '';
}

function bestPassed(session: Session): boolean {
  return session.state.attempts[0]?.verdict?.evaluation === 'pass';
}

/** Whether to refine a target that passes already. */
async function goOn(
  { session }: AttemptContext,
  deps: Omit<RefineDeps, 'generator'>,
  generator: ILanguageModel | null
): Promise<boolean> {
  if (generator === null || !deps.ask) {
    return false;
  }
  let granted = false;
  try {
    granted = await session.waitFor(
      'human',
      'The cell passes as it is.',
      deps.ask('continue', session.signal)
    );
  } catch (error) {
    session.check();
    session.warn(`The question failed: ${describeError(error).message}`);
  }
  session.emit({ type: 'permission', subject: 'continue', granted });
  return granted;
}

function nextNumber(state: SessionState): number {
  return Math.max(0, ...state.attempts.map(a => a.attempt)) + 1;
}

/** Pause and hints become events the moment they are given. */
function steer(session: Session, steering: Steering | undefined): () => void {
  if (!steering) {
    return () => {};
  }
  const takeHints = () => {
    for (const text of steering.takeHints()) {
      session.emit({ type: 'hint', text });
    }
  };
  takeHints();
  if (steering.paused) {
    session.emit({ type: 'pause', paused: true });
  }
  return steering.onChange(change => {
    if (change.type === 'hint') {
      takeHints();
    } else {
      session.emit({ type: 'pause', paused: change.paused });
    }
  });
}
