/** Where nothing checks a cell whose error is to be fixed: whether it runs, and still does what it did. */
import {
  repairDoubt,
  repairJob,
  repairRefusals,
  RUNS_UNCHECKED
} from '../domain/repair';
import type { EvaluationInput, IEvaluator, Verdict } from '../domain/verdict';
import type { SessionState } from '../events/state';
import { judgeExecution } from './assertions';

/** Never a pass: `unknown` for a candidate that runs, `fail` for one that raises or only hides the error. */
export class RepairEvaluator implements IEvaluator {
  readonly name = 'repair';
  readonly required = true;
  readonly canPassAlone = false;

  constructor(private readonly _state: () => SessionState) {}

  async evaluate(input: EvaluationInput): Promise<Verdict> {
    const { request, attempt, candidate, execution } = input;
    const verdict = judgeExecution(request, execution);
    const first = this._state().attempts.find(a => a.attempt === 0)?.execution;
    const job = attempt > 0 ? repairJob(request, first) : undefined;
    if (verdict.evaluation !== 'unknown' || execution?.status !== 'completed') {
      return verdict;
    }
    const refusals = job
      ? repairRefusals(request, job, candidate, execution.repair)
      : [];
    if (refusals.length > 0) {
      return {
        ...{ evaluator: this.name, evaluation: 'fail' },
        ...{ score: null, reasons: refusals }
      };
    }
    const doubt = job ? repairDoubt(job, execution.repair) : null;
    return {
      evaluator: this.name,
      evaluation: 'unknown',
      score: null,
      reasons: [RUNS_UNCHECKED, ...(doubt === null ? [] : [doubt])]
    };
  }
}
