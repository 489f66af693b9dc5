/** The groups of the settings, in the order of the help texts, and the order of JupyterLab's form. */
import type { RefineOptions } from './options';
import type { Translation } from './text/english';

export type SettingName = keyof RefineOptions;

export type SettingGroup = {
  readonly id:
    'models' | 'limits' | 'checks' | 'context' | 'safety' | 'flow' | 'prompts';
  readonly names: readonly SettingName[];
};

/** Every setting is in exactly one group. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    id: 'models',
    names: [
      'generatorModel',
      'evaluatorModel',
      'temperature',
      'maxOutputTokens'
    ]
  },
  {
    id: 'limits',
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
    id: 'checks',
    names: ['evaluators', 'criteria', 'confirmClean']
  },
  {
    id: 'context',
    names: ['feedback', 'contextValues']
  },
  {
    id: 'safety',
    names: [
      'isolation',
      'allowNetwork',
      'allowWrites',
      'approveExecution',
      'onPass',
      'keepBest'
    ]
  },
  { id: 'flow', names: ['workflow'] },
  {
    id: 'prompts',
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

/** What a group is called. */
export function groupHeading({ id }: SettingGroup, trans: Translation): string {
  switch (id) {
    case 'models':
      return trans.__('Models');
    case 'limits':
      return trans.__('Limits');
    case 'checks':
      return trans.__('Checks');
    case 'context':
      return trans.__('Context and feedback');
    case 'safety':
      return trans.__('Safety');
    case 'flow':
      return trans.__('Flow');
    case 'prompts':
      return trans.__('Prompts');
  }
}
