/** The plugins that provide the tokens for other extensions. */
import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { EVALUATOR_NAMES } from '../../core/domain/evaluators';
import { FEEDBACK_NAMES } from '../../core/feedback/names';
import {
  IRefineEvaluators,
  IRefineFeedbackStrategies,
  IRefineModels
} from '../../tokens';
import { Registry } from './registry';

export const evaluatorsPlugin: JupyterFrontEndPlugin<IRefineEvaluators> = {
  id: 'jupyterlab-refine:evaluators',
  description: 'Lets other extensions add evaluators.',
  autoStart: true,
  provides: IRefineEvaluators,
  activate: () => new Registry('evaluator', EVALUATOR_NAMES)
};

export const feedbackPlugin: JupyterFrontEndPlugin<IRefineFeedbackStrategies> =
  {
    id: 'jupyterlab-refine:feedback-strategies',
    description: 'Lets other extensions add feedback strategies.',
    autoStart: true,
    provides: IRefineFeedbackStrategies,
    activate: () => new Registry('feedback strategy', FEEDBACK_NAMES)
  };

export const modelsPlugin: JupyterFrontEndPlugin<IRefineModels> = {
  id: 'jupyterlab-refine:models',
  description: 'Lets other extensions add models.',
  autoStart: true,
  provides: IRefineModels,
  activate: () => new Registry('model profile')
};
