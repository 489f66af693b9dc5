/** Several evaluators, one verdict: every required one must hold. */
import { hasChecks } from './checks';
import type { Scope } from './scope';
import type { Session } from './session';
import type {
  Evaluation,
  EvaluationInput,
  IEvaluator,
  Verdict
} from './verdict';

/**
 * Asks the evaluators in order and stops at the first required one that does
 * not hold, so that no judge is paid for a candidate that fails its assertions.
 * A throwing evaluator gives `unknown`, never the end of the session.
 */
export async function evaluate(
  session: Session,
  scope: Scope,
  evaluators: readonly IEvaluator[],
  input: EvaluationInput
): Promise<Verdict> {
  const parts: Verdict[] = [];
  const required: Verdict[] = [];
  for (const evaluator of evaluators) {
    const verdict = await ask(session, scope, evaluator, input);
    session.emit({ type: 'verdict-end', attempt: input.attempt, verdict });
    parts.push(verdict);
    if (evaluator.required && !isSilent(verdict, input, evaluators)) {
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
  scope: Scope,
  evaluator: IEvaluator,
  input: EvaluationInput
): Promise<Verdict> {
  try {
    return await scope.wait(
      evaluator.evaluate(
        input,
        usage => session.addUsage(input.attempt, usage),
        scope.signal
      )
    );
  } catch (error) {
    scope.check();
    const message = `The evaluator ${evaluator.name} failed: ${error instanceof Error ? error.message : String(error)}`;
    session.warn(message, input.attempt);
    return {
      evaluator: evaluator.name,
      evaluation: 'unknown',
      score: null,
      reasons: [message]
    };
  }
}

/** Where no cell checks the target, the assertions have nothing to say as long as others do. */
function isSilent(
  verdict: Verdict,
  input: EvaluationInput,
  evaluators: readonly IEvaluator[]
): boolean {
  return (
    verdict.evaluator === 'assertions' &&
    verdict.evaluation === 'unknown' &&
    !hasChecks(input.request) &&
    evaluators.filter(e => e.required).length > 1
  );
}

/** @param parts - all verdicts, in order. @param required - those that a pass needs. */
function combine(
  parts: readonly Verdict[],
  required: readonly Verdict[]
): Verdict {
  if (parts.length === 1) {
    return parts[0];
  }
  const failing = required.find(part => part.evaluation !== 'pass');
  const deciding = failing ?? required[required.length - 1];
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
