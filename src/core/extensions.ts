/** Looks up the evaluators and feedback strategies that other JupyterLab extensions add to sessions. */
import { EVALUATOR_NAMES } from './domain/evaluators';
import type { IEvaluator, EvaluationInput } from './domain/verdict';
import {
  visibleExecution,
  visibleRequest,
  type IFeedbackStrategy
} from './domain/visible';
import { NO_EXTENSIONS } from './deps';
import type { IAddedEvaluator } from './evaluators/added';
import { feedbackStrategy } from './feedback/feedback';
import { FEEDBACK_NAMES } from './settings';
import { bounded } from './feedback/parts';
import { SessionStop, type Session } from './session/session';

/** @throws SessionStop when the settings name an evaluator that is neither built in nor added. */
export function requireEvaluators({ request, deps }: Session): void {
  const { evaluators } = deps.extensions ?? NO_EXTENSIONS;
  const known = [...EVALUATOR_NAMES, ...evaluators.keys()];
  const unknown = request.options.evaluators.filter(
    name => !known.includes(name)
  );
  if (unknown.length > 0) {
    throw new SessionStop('no-checks', {
      code: 'bad-option',
      kind: 'input',
      message: `Unknown evaluator: ${unknown.join(', ')}. Install the extension that adds it, or remove it from the evaluators setting. Known: ${known.join(', ')}.`
    });
  }
}

/** Those that the settings list, in their order. */
export function addedEvaluators({
  request,
  deps
}: Session): readonly IEvaluator[] {
  const { evaluators } = deps.extensions ?? NO_EXTENSIONS;
  return request.options.evaluators.flatMap(name => {
    const added = evaluators.get(name);
    return added ? [asEvaluator(added)] : [];
  });
}

/** The strategy that the settings name; where there is none, `auto` with a warning. */
export function chosenFeedback(session: Session): IFeedbackStrategy {
  const { feedback } = session.deps.extensions ?? NO_EXTENSIONS;
  const name = session.request.options.feedback;
  const builtIn = FEEDBACK_NAMES.find(known => known === name);
  if (builtIn) {
    return feedbackStrategy(builtIn);
  }
  const added = feedback.get(name);
  if (added) {
    return { name, build: input => bounded([added.build(input)]) };
  }
  const known = [...FEEDBACK_NAMES, ...feedback.keys()];
  session.warn(
    `Unknown feedback strategy: ${name}. The session uses auto. Install the extension that adds it, or change the feedback setting. Known: ${known.join(', ')}.`
  );
  return feedbackStrategy('auto');
}

function asEvaluator(added: IAddedEvaluator): IEvaluator {
  const { name, required } = added;
  return {
    name,
    required,
    evaluate: async (
      { request, attempt, candidate, execution }: EvaluationInput,
      onUsage,
      signal
    ) => {
      const input = {
        request: visibleRequest(request),
        attempt,
        candidate,
        execution: execution && visibleExecution(execution)
      };
      const verdict = await added.evaluate(input, onUsage, signal);
      return { ...verdict, evaluator: name };
    }
  };
}
