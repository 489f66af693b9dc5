/** The scorer is tried before anything is paid for: one that can measure nothing ends the session first. */
import type { Execution, Isolation, ScorerResult } from '../domain/execution';
import type { ExecutionProgress, IExecutor } from '../domain/executor';
import { executionJob } from '../domain/job';
import type { RefineRequest } from '../domain/request';
import { sourceToRun } from '../domain/response';
import { SessionStop, type Session } from '../session/session';

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
  let waiting = false;
  const onProgress = (progress: ExecutionProgress) => {
    if (progress.type === 'waiting' && !waiting) {
      waiting = true;
      session.emit({
        type: 'wait-start',
        for: 'kernel',
        reason: progress.reason
      });
    }
  };
  try {
    return await session.scope.wait(
      executor.run(
        {
          ...executionJob(
            request,
            `${id}:scorer`,
            sourceToRun(request, '') ?? ''
          ),
          assertions: [],
          holdouts: [],
          scorer,
          limits: { seconds: Math.min(SECONDS, options.attemptTimeout) },
          contextValues: 'none',
          allowNetwork: false,
          allowWrites: false
        },
        onProgress,
        session.scope.signal
      )
    );
  } catch {
    session.scope.check();
    return null;
  } finally {
    if (waiting) {
      session.emit({ type: 'wait-end', for: 'kernel' });
    }
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
