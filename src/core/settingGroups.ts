/** The groups of the settings, in the order of the help texts, and the order of JupyterLab's form. */
import type { RefineOptions } from './options';

export type SettingName = keyof RefineOptions;

export type SettingGroup = {
  readonly heading: string;
  readonly names: readonly SettingName[];
};

/** Every setting is in exactly one group. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    heading: 'Models',
    names: [
      'generatorModel',
      'evaluatorModel',
      'temperature',
      'maxOutputTokens'
    ]
  },
  {
    heading: 'Limits',
    names: [
      'maxAttempts',
      'attemptTimeout',
      'sessionTimeout',
      'maxTokens',
      'maxCost',
      'targetScore',
      'patience'
    ]
  },
  {
    heading: 'Checks',
    names: ['evaluators', 'criteria', 'confirmClean']
  },
  {
    heading: 'Context and feedback',
    names: ['feedback', 'contextValues']
  },
  {
    heading: 'Safety',
    names: [
      'isolation',
      'allowNetwork',
      'allowWrites',
      'approveExecution',
      'onPass',
      'keepBest'
    ]
  },
  { heading: 'Flow', names: ['workflow'] },
  {
    heading: 'Prompts',
    names: ['systemPrompt', 'generatorPrompt', 'evaluatorPrompt']
  }
];

/** What most users set: first in JupyterLab's form, which folds the rest. */
const ESSENTIAL: readonly SettingName[] = [
  'generatorModel',
  'maxAttempts',
  'onPass'
];

/** In the order of JupyterLab's form. */
export const SETTING_NAMES: readonly SettingName[] = [
  ...ESSENTIAL,
  ...SETTING_GROUPS.flatMap(group => group.names).filter(
    name => !ESSENTIAL.includes(name)
  )
];
