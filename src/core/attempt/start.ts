/** The start of a session. */
import type { CheckDeps } from '../deps';
import type { Isolation, Execution, ScorerResult } from '../domain/execution';
import type { ILanguageModel } from '../domain/model';
import type { RefineRequest } from '../domain/request';
import { sourceToRun } from '../domain/response';
import {
  describeError,
  SessionStop,
  stopAfterKernel,
  type Session
} from '../session/session';
import {
  executionJob,
  type ExecutionJob,
  type IExecutor
} from '../domain/executor';
import { runJob } from './attempt';

/** Prepare the kernel and report the start, also when there is no kernel to prepare. */
export async function startSession(
  session: Session,
  request: RefineRequest,
  deps: CheckDeps,
  generator: ILanguageModel | null
): Promise<Isolation> {
  const start = (isolation: Isolation) =>
    session.emit({
      type: 'session-start',
      request,
      // The user's own code goes on from a session of a model without one.
      model: generator?.identity ?? session.state.model,
      isolation
    });
  try {
    const isolation = await session.scope.wait(
      deps.executor.prepare(session.scope.signal)
    );
    start(isolation);
    warnOfChanges(session, request);
    warnOfTarget(session, request);
    return isolation;
  } catch (error) {
    const { message } = describeError(error);
    start(notIsolated(error instanceof SessionStop ? [] : [message]));
    session.scope.check();
    throw stopAfterKernel(error);
  }
}

/** An error that is fixed was raised by a run that had changed something. */
function warnOfChanges(session: Session, { repair }: RefineRequest) {
  if (repair && repair.changed.length > 0) {
    session.warn(
      `Before it stopped, the failed run changed ${repair.changed.join(', ')}. Attempts start from the changed values. To start from the old ones, run the cells above again.`
    );
  }
}

/** Only a scorer's metric has a target outside of 0 to 1. */
function warnOfTarget(session: Session, { options, scorer }: RefineRequest) {
  const { targetScore, evaluators } = options;
  const measured = scorer !== undefined || evaluators.includes('scorer');
  if (targetScore !== null && targetScore > 1 && !measured) {
    session.warn(
      `targetScore is ${targetScore}, but a score is never above 1: only a pass, patience or a limit ends the session. Set targetScore to a number from 0 to 1, or add a scorer whose metric it is meant for.`
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

/** What takes longer is left to the attempts. */
const SECONDS = 5;

/** How the kernel says that a name is missing; a scorer may read it from `ns` or by itself. */
const MISSING = [
  /^KeyError: '?(\w+): not defined after the candidate ran/,
  /^NameError: name '(\w+)' is not defined/
];

/**
 * Runs the scorer once beside a candidate that holds nothing, where that touches
 * nothing of the user's; not again where it has measured before. Warns of a name
 * that the task does not ask for.
 *
 * @throws SessionStop when it can measure nothing, whatever the candidate is.
 */
export async function requireScorer(
  session: Session,
  request: RefineRequest,
  executor: IExecutor,
  { mode }: Isolation
): Promise<void> {
  const measured = session.state.attempts.some(a => a.verdict?.metric);
  if (!request.scorer || mode === 'live' || measured) {
    return;
  }
  const { cellId } = request.scorer;
  const scored = (await trial(session, request, executor))?.scored;
  if (scored?.broken !== undefined) {
    throw new SessionStop('no-checks', {
      code: 'scorer-broken',
      kind: 'input',
      message: `The scorer failed before the first attempt: ${scored.broken.replace(/\.$/, '')}. Fix it, or run the cells that it depends on, then refine again. No model was called.`
    });
  }
  const name = missingName(scored);
  if (name !== null && !isAskedFor(name, request)) {
    session.emit({
      type: 'warning',
      message: `The scorer reads ${name}, which is not defined, and neither the prompt nor the checks ask for it. Name it in the prompt.`,
      check: { cellId, line: 1 }
    });
  }
}

/** Null when the kernel cannot find out; the attempts will. */
async function trial(
  session: Session,
  request: RefineRequest,
  executor: IExecutor
): Promise<Execution | null> {
  const { session: id, scorer, options } = request;
  const source = sourceToRun(request, '') ?? '';
  const job: ExecutionJob = {
    ...executionJob(request, `${id}:scorer`, source),
    assertions: [],
    holdouts: [],
    scorer,
    limits: { seconds: Math.min(SECONDS, options.attemptTimeout) },
    contextValues: 'none',
    allowNetwork: false,
    allowWrites: false
  };
  try {
    return await runJob(session, executor, job, () => undefined);
  } catch {
    session.scope.check();
    return null;
  }
}

function missingName(scored: ScorerResult | undefined): string | null {
  const { name, message } = scored?.error ?? {};
  const found = MISSING.map(pattern => pattern.exec(`${name}: ${message}`));
  return found.find(match => match !== null)?.[1] ?? null;
}

function isAskedFor(
  name: string,
  { prompt, target, assertions }: RefineRequest
): boolean {
  const sources = [prompt, target.source, ...assertions.map(a => a.source)];
  return new RegExp(`(?<!\\w)${name}(?!\\w)`).test(sources.join('\n'));
}
