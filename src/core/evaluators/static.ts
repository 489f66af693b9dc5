/** What was found in the source of a candidate without running it. */
import type { StaticFinding } from '../domain/execution';
import type { EvaluationInput, IEvaluator, Verdict } from '../domain/verdict';

/** A finding of severity `error` is no pass, and nothing runs; a warning is only reported. Gives `unknown` without static checks. */
export class StaticEvaluator implements IEvaluator {
  readonly name = 'static';
  readonly required = true;

  constructor(private readonly _warn: (message: string) => void) {}

  async evaluate({ execution }: EvaluationInput): Promise<Verdict> {
    const findings = execution?.findings;
    if (!findings) {
      this._warnOnce();
      return this._verdict('unknown', ['The source was not inspected.']);
    }
    return this._verdict(
      findings.some(f => f.severity === 'error') ? 'fail' : 'pass',
      findings.map(findingLine)
    );
  }

  private _verdict(
    evaluation: Verdict['evaluation'],
    reasons: readonly string[]
  ): Verdict {
    return { evaluator: this.name, evaluation, score: null, reasons };
  }

  private _warnOnce(): void {
    if (!this._warned) {
      this._warned = true;
      this._warn(
        'The static evaluator has no effect here: this kernel cannot analyze a candidate before it runs.'
      );
    }
  }

  private _warned = false;
}

/** `Line 3: undefined name 'dff' (undefined-name)`. */
export function findingLine({ line, code, message }: StaticFinding): string {
  return `Line ${line}: ${message.replace(/\.$/, '')} (${code})`;
}
