/** The port of an evaluator from another extension. Its token is in `tokens.ts`. */
import type { Usage } from '../domain/model';
import type { Verdict } from '../domain/verdict';
import type { VisibleExecution, VisibleRequest } from '../domain/visible';

/** What an added evaluator receives: nothing of the hold-outs, so that its reasons can go into prompts. */
export type AddedEvaluationInput = {
  readonly request: VisibleRequest;
  /** 0 is what the cell held at the start. */
  readonly attempt: number;
  readonly candidate: string;
  /** Null when nothing ran. */
  readonly execution: VisibleExecution | null;
};

/**
 * An evaluator from another extension. It runs after assertions, static analysis
 * and scorer, and before judge and human, where `evaluators` lists its name.
 *
 * @example
 * ```ts
 * evaluators.add({
 *   name: 'no-print',
 *   required: true,
 *   evaluate: async ({ candidate }) =>
 *     /\bprint\(/.test(candidate)
 *       ? { evaluation: 'fail', score: 0, reasons: ['Remove the print calls.'] }
 *       : { evaluation: 'pass', score: 1, reasons: [] }
 * });
 * ```
 */
export interface IAddedEvaluator {
  /** Lower-case letters, digits and hyphens: its name in settings and `%%refine --evaluators=…`. */
  readonly name: string;
  /** True: a candidate passes only if this evaluator passes it, too. It never passes a cell that nothing else checks. */
  readonly required: boolean;
  /** @param onUsage - report each model call that it makes; the call counts towards the session's budget. */
  evaluate(
    input: AddedEvaluationInput,
    onUsage: (usage: Usage) => void,
    signal: AbortSignal
  ): Promise<Omit<Verdict, 'evaluator' | 'parts'>>;
}
