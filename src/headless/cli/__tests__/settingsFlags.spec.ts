/** @jest-environment node */
import { settingsSchema } from '../../../core/settings';
import type { RefineOptions } from '../../../core/options';
import { parseArguments, settingFlags, settingFlagsOf } from '../arguments';
import { type CommandName, UsageError } from '../commands';

/** Flags of each setting, and what they set; a setting without an entry does not compile. */
const GIVEN: {
  readonly [Name in keyof RefineOptions]: readonly [
    argv: readonly string[],
    value: RefineOptions[Name]
  ];
} = {
  generatorModel: [['--generator-model', 'a/b'], 'a/b'],
  evaluatorModel: [['--evaluator-model', 'a/c'], 'a/c'],
  temperature: [['--temperature', '0.5'], 0.5],
  maxOutputTokens: [['--max-output-tokens', '500'], 500],
  systemPrompt: [
    ['--system-prompt', 'Write {{language}}.'],
    'Write {{language}}.'
  ],
  generatorPrompt: [['--generator-prompt', 'Do {{task}}.'], 'Do {{task}}.'],
  evaluatorPrompt: [
    ['--evaluator-prompt', 'Judge {{task}}: {{answer}}.'],
    'Judge {{task}}: {{answer}}.'
  ],
  maxAttempts: [['--max-attempts', '3'], 3],
  attemptTimeout: [['--attempt-timeout', '2.5'], 2.5],
  sessionTimeout: [['--session-timeout', '60'], 60],
  maxTokens: [['--max-tokens', '1000'], 1000],
  maxCost: [['--max-cost', '0.5'], 0.5],
  targetScore: [['--target-score', '0.9'], 0.9],
  patience: [['--patience', '2'], 2],
  evaluators: [
    ['--evaluators', 'assertions,static'],
    ['assertions', 'static']
  ],
  criteria: [
    ['--criteria', 'short,fast'],
    ['short', 'fast']
  ],
  confirmClean: [['--confirm-clean'], true],
  feedback: [['--feedback', 'diff'], 'diff'],
  contextValues: [['--context-values', 'none'], 'none'],
  isolation: [['--isolation', 'fork'], 'fork'],
  allowNetwork: [['--allow-network'], true],
  allowWrites: [['--allow-writes'], true],
  approveExecution: [['--approve-execution'], true],
  keepBest: [['--keep-best'], 'always'],
  onPass: [['--on-pass', 'ask'], 'ask'],
  workflow: [['--workflow', 'scored'], 'scored']
};

const COMMANDS: readonly CommandName[] = ['run', 'check'];

function optionsOf(command: CommandName, argv: readonly string[]) {
  const parsed = parseArguments([command, 'file', ...argv], {});
  return 'options' in parsed ? parsed.options : null;
}

const rows = COMMANDS.flatMap(command =>
  settingFlagsOf(command).map(
    ({ flag, name }) => [command, flag, name] as const
  )
);

it.each(rows)('%s takes --%s as the setting %s', (command, _, name) => {
  const [argv, value] = GIVEN[name];
  expect(settingsSchema.shape[name].parse(undefined)).not.toEqual(value);
  expect(optionsOf(command, argv)?.[name]).toEqual(value);
});

it.each(
  settingFlags.flatMap(({ flag, name, type }) =>
    type === 'boolean' && name !== 'keepBest' ? [[flag, name] as const] : []
  )
)('--no-%s turns the setting %s off', (flag, name) => {
  expect(optionsOf('run', [`--no-${flag}`])?.[name]).toBe(false);
});

const notOfCheck = settingFlags.filter(
  ({ name }) => !settingFlagsOf('check').some(other => other.name === name)
);

it.each(notOfCheck.map(({ name }) => name))(
  'check, which calls no model, refuses the setting %s',
  name => {
    expect(() => optionsOf('check', GIVEN[name][0])).toThrow(UsageError);
  }
);
