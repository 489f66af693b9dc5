/** The groups of the settings, in the order in which forms and help texts show them. Needs no zod: the settings form reads it at start. */
import type { RefineOptions } from './options';
import type { Translation } from './text/english';

export type SettingName = keyof RefineOptions;

export type SettingGroup = {
  readonly id:
    'models' | 'limits' | 'attempts' | 'checks' | 'context' | 'safety' | 'flow';
  readonly names: readonly SettingName[];
};

/** Every setting is in exactly one group. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  {
    id: 'models',
    names: [
      'generatorModel',
      'evaluatorModel',
      'strongerModel',
      'temperature',
      'maxOutputTokens',
      'systemPrompt',
      'generatorPrompt',
      'evaluatorPrompt'
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
      'patience',
      'minDelta',
      'raiseOnBudget'
    ]
  },
  {
    id: 'attempts',
    names: ['candidates', 'memory']
  },
  {
    id: 'checks',
    names: [
      'evaluators',
      'criteria',
      'gateStatic',
      'generateAssertions',
      'allowDispute',
      'maxEvalChars',
      'confirmClean'
    ]
  },
  {
    id: 'context',
    names: ['feedback', 'contextBudget', 'contextValues']
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
  { id: 'flow', names: ['stepMode', 'workflow'] }
];

export const SETTING_NAMES: readonly SettingName[] = SETTING_GROUPS.flatMap(
  group => group.names
);

/** The group that a setting belongs to. */
export function groupOf(name: string): SettingGroup | null {
  return (
    SETTING_GROUPS.find(({ names }) => names.some(own => own === name)) ?? null
  );
}

/** What a group is called. */
export function groupHeading({ id }: SettingGroup, trans: Translation): string {
  switch (id) {
    case 'models':
      return trans.__('Models and prompts');
    case 'limits':
      return trans.__('Limits');
    case 'attempts':
      return trans.__('Attempts');
    case 'checks':
      return trans.__('Checks');
    case 'context':
      return trans.__('Context and feedback');
    case 'safety':
      return trans.__('Safety');
    case 'flow':
      return trans.__('Flow');
  }
}
