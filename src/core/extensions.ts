/** Looks up the evaluators and feedback strategies that other JupyterLab extensions add to sessions. */
import { EVALUATOR_NAMES } from './domain/evaluators';
import type { IEvaluator, EvaluationInput } from './domain/verdict';
import {
  visibleExecution,
  visibleRequest,
  type IFeedbackStrategy
} from './domain/visible';
import type { Extensions } from './deps';
import type { IAddedEvaluator } from './evaluators/added';
import { feedbackStrategy } from './feedback/feedback';
import { FEEDBACK_NAMES } from './settings';
import { bounded } from './feedback/parts';
import { SessionStop } from './session/session';

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
      message: `Unknown evaluator: ${unknown.join(', ')}. Install the extension that adds it, or remove it from the evaluators setting. Known: ${known.join(', ')}.`
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
  warn(
    `Unknown feedback strategy: ${name}. The session uses auto. Install the extension that adds it, or change the feedback setting. Known: ${known.join(', ')}.`
  );
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
