/** What was found in the source of a candidate without running it. */
import type { StaticFinding } from '../domain/execution';
import type { IEvaluator } from '../domain/verdict';
import type { Session } from '../session/session';

/** A finding of severity `error` is no pass, and nothing runs; a warning is only reported. Gives `unknown` without static checks. */
export function staticEvaluator(session: Session): IEvaluator {
  const name = 'static';
  let warned = false;
  return {
    name,
    required: true,
    evaluate: async ({ execution }) => {
      const findings = execution?.findings;
      if (!findings && !warned) {
        warned = true;
        session.warn(
          'The static evaluator has no effect here: this kernel cannot analyze a candidate before it runs.'
        );
      }
      return {
        evaluator: name,
        evaluation: !findings
          ? 'unknown'
          : findings.some(f => f.severity === 'error')
            ? 'fail'
            : 'pass',
        score: null,
        reasons: findings?.map(findingLine) ?? ['The source was not inspected.']
      };
    }
  };
}

/** `Line 3: undefined name 'dff' (undefined-name)`. */
export function findingLine({ line, code, message }: StaticFinding): string {
  return `Line ${line}: ${message.replace(/\.$/, '')} (${code})`;
}
