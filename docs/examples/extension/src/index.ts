import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  IRefineEvaluators,
  IRefineFeedbackStrategies,
  IRefineModels,
  type IAddedEvaluator,
  type IAddedModels,
  type IFeedbackStrategy
} from 'jupyterlab-refine';

/** Rejects a candidate that prints. It sees the source and what the visible checks gave. */
const noPrint: IAddedEvaluator = {
  name: 'no-print',
  required: true,
  evaluate: async ({ candidate }) =>
    /^\s*print\(/m.test(candidate)
      ? { evaluation: 'fail', score: 0, reasons: ['Remove the print calls.'] }
      : { evaluation: 'pass', score: 1, reasons: [] }
};

/** Names the failing checks and nothing else. */
const checksOnly: IFeedbackStrategy = {
  name: 'checks-only',
  build: ({ attempt }) =>
    (attempt.execution?.assertions ?? [])
      .filter(({ outcome }) => outcome !== 'passed')
      .map(({ source }) => `This check fails: ${source}`)
      .join('\n')
};

/** Answers with a fixed cell. A real one calls a model, and stops when the third argument, an `AbortSignal`, is aborted. */
const fixed: IAddedModels = {
  name: 'fixed',
  host: 'this page',
  models: ['one'],
  async *generate(model, request) {
    yield { type: 'text', text: '```python\none = 1\n```\n' };
    yield {
      type: 'end',
      finishReason: 'stop',
      usage: {
        calls: 1,
        promptTokens: request.messages.length,
        completionTokens: 8,
        estimated: true,
        cost: 0
      }
    };
  }
};

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'refine-house-rules:plugin',
  description: 'Adds an evaluator, a feedback strategy and a model to Refine.',
  autoStart: true,
  requires: [IRefineEvaluators, IRefineFeedbackStrategies, IRefineModels],
  activate: (
    app: JupyterFrontEnd,
    evaluators: IRefineEvaluators,
    feedback: IRefineFeedbackStrategies,
    models: IRefineModels
  ) => {
    evaluators.add(noPrint);
    feedback.add(checksOnly);
    models.add(fixed);
  }
};

export default plugin;
