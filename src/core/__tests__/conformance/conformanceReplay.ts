/** Plays a recorded run of the published scored loop through ours. */
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { FakeModel, type FakeAnswer } from '../../../testing/fakeModel';
import type { Usage } from '../../domain/model';
import { settingsSchema } from '../../settings';
import type { IEvaluator } from '../../domain/verdict';
import type { RecordedRun } from './conformanceRuns';
import { makeRequest } from '../requests';
import { answer, run as refineAll } from '../sessions';

/** A call costs one dollar, so that a budget of calls is one of money. */
const OUTPUT = 64;
const PRICES = { input: 0, output: 1e6 / OUTPUT };
const USAGE: Usage = {
  calls: 1,
  promptTokens: 100,
  completionTokens: OUTPUT,
  estimated: false,
  cost: null
};

function priced(answers: readonly FakeAnswer[], model: string): FakeModel {
  return Object.assign(
    new FakeModel(answers, { usage: USAGE, identity: { model } }),
    { prices: PRICES }
  );
}

function scripted(scores: NonNullable<RecordedRun['scores']>): IEvaluator {
  let call = 0;
  return {
    name: 'scorer',
    required: true,
    evaluate: async () => {
      const score = scores[Math.min(call++, scores.length - 1)];
      if (score === 'RAISE') {
        throw new Error('boom');
      }
      return {
        evaluator: 'scorer',
        evaluation: 'needs-improvement',
        score: score ?? NaN,
        reasons: []
      };
    }
  };
}

/** Our options for their arguments: theirs counts refinements, ours attempts. */
export function optionsOf({ args }: RecordedRun) {
  return settingsSchema.parse({
    workflow: 'scored',
    maxOutputTokens: OUTPUT,
    maxAttempts: (args.max_iterations ?? 5) + 1,
    ...(args.target_score === undefined
      ? {}
      : { targetScore: args.target_score }),
    ...(args.patience === undefined ? {} : { patience: args.patience }),
    ...(args.max_cost?.llm_calls ? { maxCost: args.max_cost.llm_calls } : {})
  });
}

/** The same run through our loop. */
export async function replay(run: RecordedRun) {
  const generator = priced(
    [(_, call) => answer(`${run.checkpoints[call]?.[1] ?? `v${call}`} = 0`)],
    'writer'
  );
  const evaluatorModel = priced(run.judge ?? [''], `judge of ${run.name}`);
  const ended = await refineAll(
    makeRequest({ assertions: [], options: optionsOf(run) }),
    {
      executor: new FakeExecutor([{}]),
      generator,
      evaluatorModel,
      ...(run.scores ? { evaluators: [scripted(run.scores)] } : {})
    }
  );
  const calls = generator.requests.length + evaluatorModel.requests.length;
  const { outcome, state } = ended;
  expect(outcome.usage.calls).toBe(calls);
  return {
    ...ended,
    ours: {
      best: outcome.best?.candidate.replace(' = 0', '') ?? null,
      score: outcome.best?.score ?? null,
      history: outcome.scoreHistory,
      calls,
      converged: outcome.converged
    },
    checkpoints: state.attempts.map(a => [
      a.attempt - 1,
      a.code.replace(' = 0', ''),
      a.verdict?.score ?? null
    ])
  };
}
