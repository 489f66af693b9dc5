/** Several evaluators, one verdict: every required one must hold. */
import { decides } from '../domain/checks/checks';
import type { Execution } from '../domain/execution';
import type { Usage } from '../domain/model';
import { SessionStop, type Session } from '../session/session';
import {
  unscored,
  type Evaluation,
  type EvaluationInput,
  type IEvaluator,
  type Verdict
} from '../domain/verdict';

/**
 * Asks the evaluators in order and stops at the first required one that does
 * not hold, so that no judge is paid for a candidate that fails its assertions.
 * A throwing evaluator gives `unknown`, never the end of the session: only a human ends that.
 */
export async function evaluate(
  session: Session,
  attempt: number,
  candidate: string,
  execution: Execution | null
): Promise<Verdict> {
  const { request, evaluators } = session;
  const parts: Verdict[] = [];
  const required: Verdict[] = [];
  const others = evaluators.some(decides);
  for (const evaluator of evaluators) {
    const verdict = await ask(session, evaluator, {
      request,
      attempt,
      candidate,
      execution,
      ...(parts.length > 0 ? { before: combine(parts, required) } : {})
    });
    session.emit({ type: 'verdict-end', attempt, verdict });
    parts.push(verdict);
    if (evaluator.required && !isSilent(verdict, attempt, others)) {
      required.push(verdict);
      if (verdict.evaluation !== 'pass') {
        break;
      }
    }
  }
  return combine(parts, required);
}

async function ask(
  session: Session,
  evaluator: IEvaluator,
  input: EvaluationInput
): Promise<Verdict> {
  const { attempt } = input;
  const onUsage = (usage: Usage) => session.addUsage(attempt, usage);
  try {
    return readable(
      await session.wait(evaluator.evaluate(input, onUsage, session.signal))
    );
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof SessionStop) {
      throw error;
    }
    const message = `The evaluator ${evaluator.name} failed: ${error instanceof Error ? error.message : String(error)}`;
    session.warn(message, attempt);
    return unscored(evaluator.name, 'unknown', message);
  }
}

/** A value that nothing can be compared with would be neither better nor worse than any other. */
function readable(verdict: Verdict): Verdict {
  const { score, metric } = verdict;
  if (score !== null && !(score >= 0 && score <= 1)) {
    throw new RangeError(`its score is ${score}, not from 0 to 1.`);
  }
  if (metric && !Number.isFinite(metric.value)) {
    throw new RangeError(`its ${metric.name} is ${metric.value}.`);
  }
  return verdict;
}

/** Who has nothing to say neither passes nor fails. @param others - another evaluator can give the pass alone. */
function isSilent(
  { evaluator, evaluation, total = 0 }: Verdict,
  attempt: number,
  others: boolean
): boolean {
  return (
    evaluation === 'unknown' &&
    // Nobody could inspect the source, or is asked of what the cell held at the start.
    (evaluator === 'static' ||
      (evaluator === 'human' && attempt === 0) ||
      (evaluator === 'assertions' && total === 0 && others))
  );
}

/** @param parts - all verdicts, in order. @param required - those that a pass needs. */
function combine(
  parts: readonly Verdict[],
  required: readonly Verdict[]
): Verdict {
  const [only, ...others] = parts;
  if (only && others.length === 0) {
    return only;
  }
  const failing = required.find(part => part.evaluation !== 'pass');
  const deciding =
    failing ?? required.filter(part => part.score !== null).at(-1);
  const counted = parts.find(part => part.total !== undefined);
  const metric = parts.find(part => part.metric)?.metric;
  const evaluation: Evaluation =
    required.length === 0 ? 'unknown' : (failing?.evaluation ?? 'pass');
  return {
    evaluator: parts.map(part => part.evaluator).join('+') || 'none',
    evaluation,
    score: deciding?.score ?? null,
    ...(metric ? { metric } : {}),
    reasons: parts.flatMap(part => part.reasons),
    ...(counted ? { passed: counted.passed, total: counted.total } : {}),
    ...(parts.length > 0 ? { parts } : {})
  };
}
