/** Several first candidates at once: the first that passes wins. */
import type { Writer } from '../stopping/turns';
import { makeAttempt } from './attempt';
import type { AttemptContext } from './context';
import { isOpenEnded } from '../domain/checks/checks';
import { SessionStop } from '../session/session';

/** Ends of one candidate that do not end the others. */
const OF_ONE = ['budget', 'model-error', 'refused', 'disputed'];

/** Below this temperature the same prompt gives the same candidate. */
const VARIED = 0.8;

/**
 * Make `count` attempts at once, each run in its own fork as it arrives. One
 * that passes cancels the others; the budget decides how many start.
 *
 * @throws SessionStop when the session ends with them: always for a stop, a
 * time-out and the kernel's end; for a budget or model only when it let none through,
 * for an objection to a check when none passed.
 */
export async function makeParallelAttempts(
  context: AttemptContext,
  first: number,
  count: number,
  writer: Writer
): Promise<void> {
  const { session } = context;
  const { scope, cancel, end } = context.scope.branch();
  const varied: Writer = {
    ...writer,
    temperature:
      writer.temperature === null ? null : Math.max(writer.temperature, VARIED)
  };
  let reported = false;
  const reportBudget = (started: number) => {
    if (started > 0 && !reported) {
      reported = true;
      session.warn(
        `Candidates started: ${started} of ${count}. The budget has no room for more at once.`
      );
    }
  };
  const begin = async (candidate: number) => {
    const number = first + candidate;
    try {
      await makeAttempt({ ...context, scope }, number, varied, candidate);
    } catch (error) {
      if (error instanceof SessionStop && error.reason === 'rejected') {
        cancel();
      }
      if (error instanceof SessionStop && error.reason === 'budget') {
        reportBudget(candidate);
      }
      throw error;
    }
    const attempt = session.state.attempts.find(a => a.attempt === number);
    if (
      attempt?.verdict?.evaluation === 'pass' &&
      !isOpenEnded(context.request)
    ) {
      cancel();
    }
  };
  const ended = await Promise.allSettled(
    Array.from({ length: count }, (_, candidate) => begin(candidate))
  );
  end();
  session.scope.check();
  const stops = ended
    .map(result => (result.status === 'rejected' ? result.reason : null))
    .filter(reason => reason instanceof SessionStop);
  const final = stops.find(stop => !OF_ONE.includes(stop.reason));
  const made = ended.some(result => result.status === 'fulfilled');
  const passed = session.state.attempts.some(
    a => a.attempt >= first && a.verdict?.evaluation === 'pass'
  );
  const disputed = stops.find(stop => stop.reason === 'disputed');
  const stop = final ?? (passed ? null : disputed) ?? (made ? null : stops[0]);
  if (stop) {
    throw stop;
  }
}
