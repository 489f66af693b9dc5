/** The evaluators that the settings ask for. */
import type { IClock } from './clock';
import { AssertionEvaluator } from './evaluators/assertions';
import { JudgeEvaluator } from './evaluators/judge';
import type { ILanguageModel } from './model';
import type { RefineRequest } from './request';
import type { Session } from './session';
import type { IEvaluator } from './verdict';

export type StandardEvaluators = {
  readonly session: Session;
  readonly request: RefineRequest;
  /** Judges where the settings ask for a judge; null: nobody does. */
  readonly judge: ILanguageModel | null;
  readonly onModelTime: (ms: number) => void;
};

/** The assertions first, always: nothing overturns them, and nobody is paid for what fails them. */
export function standardEvaluators(
  options: StandardEvaluators
): readonly IEvaluator[] {
  const { session, request, judge, onModelTime } = options;
  const { evaluators, criteria, maxEvalChars, targetScore } = request.options;
  return [
    new AssertionEvaluator(),
    ...(evaluators.includes('judge') && judge
      ? [
          new JudgeEvaluator({
            model: timed(judge, session.clock, onModelTime),
            criteria,
            maxEvalChars,
            targetScore,
            reserve: promptTokens =>
              session.reserve(
                judge,
                promptTokens,
                request.options.maxOutputTokens
              )
          })
        ]
      : [])
  ];
}

/** `model`, with the time of its calls told. */
function timed(
  model: ILanguageModel,
  clock: IClock,
  onTime: (ms: number) => void
): ILanguageModel {
  return {
    identity: model.identity,
    prices: model.prices,
    generate: async function* (request, signal) {
      const started = clock.now();
      try {
        yield* model.generate(request, signal);
      } finally {
        onTime(clock.now() - started);
      }
    }
  };
}
