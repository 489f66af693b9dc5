/** What other JupyterLab extensions add to sessions: evaluators and feedback strategies. Their tokens are in `tokens.ts`. */
import { EVALUATOR_NAMES } from './domain/evaluators';
import type { Usage } from './domain/model';
import type { IEvaluator, EvaluationInput, Verdict } from './domain/verdict';
import {
  visibleExecution,
  visibleRequest,
  type VisibleExecution,
  type VisibleRequest
} from './domain/visible';
import { feedbackStrategy } from './feedback/feedback';
import { FEEDBACK_NAMES } from './feedback/names';
import { bounded } from './feedback/parts';
import type { IFeedbackStrategy } from './feedback/strategy';
import { sentence } from './messages/sentence';
import { SessionStop } from './session/session';

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

/** By name. */
export type Extensions = {
  readonly evaluators: ReadonlyMap<string, IAddedEvaluator>;
  readonly feedback: ReadonlyMap<string, IFeedbackStrategy>;
};

export const NO_EXTENSIONS: Extensions = {
  evaluators: new Map(),
  feedback: new Map()
};

/** @throws SessionStop when `names` has one that is neither built in nor added. */
export function requireEvaluators(
  names: readonly string[],
  { evaluators }: Extensions
): void {
  const known = [...EVALUATOR_NAMES, ...evaluators.keys()];
  const unknown = names.filter(name => !known.includes(name));
  if (unknown.length > 0) {
    throw new SessionStop('no-checks', {
      code: 'bad-option',
      kind: 'input',
      message: sentence(
        'evaluator.unknown',
        unknown.join(', '),
        known.join(', ')
      )
    });
  }
}

/** Those that `names` lists, in its order. */
export function addedEvaluators(
  names: readonly string[],
  { evaluators }: Extensions
): readonly IEvaluator[] {
  return names.flatMap(name => {
    const added = evaluators.get(name);
    return added ? [asEvaluator(added)] : [];
  });
}

/** The strategy of `name`; where there is none, `auto` with a warning. */
export function feedbackNamed(
  name: string,
  { feedback }: Extensions,
  warn: (message: string) => void
): IFeedbackStrategy {
  const builtIn = FEEDBACK_NAMES.find(known => known === name);
  if (builtIn) {
    return feedbackStrategy(builtIn);
  }
  const added = feedback.get(name);
  if (added) {
    return { name, build: input => bounded([added.build(input)]) };
  }
  const known = [...FEEDBACK_NAMES, ...feedback.keys()];
  warn(sentence('feedback.unknown', name, known.join(', ')));
  return feedbackStrategy('auto');
}

function asEvaluator(added: IAddedEvaluator): IEvaluator {
  const { name, required } = added;
  return {
    name,
    required,
    canPassAlone: false,
    evaluate: async (
      { request, attempt, candidate, execution }: EvaluationInput,
      onUsage,
      signal
    ) => ({
      ...(await added.evaluate(
        {
          request: visibleRequest(request),
          attempt,
          candidate,
          execution: execution && visibleExecution(execution)
        },
        onUsage,
        signal
      )),
      evaluator: name
    })
  };
}
