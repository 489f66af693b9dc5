/** The command line's flags for settings: one for each key of the schema, in kebab-case. */
import * as z from 'zod';
import type { RefineOptions } from '../../core/options';
import { SETTING_GROUPS } from '../../core/settingGroups';
import { settingsSchema } from '../../core/settings';
import { type CommandName, kebabCase, UsageError } from './commands';

type SettingName = keyof RefineOptions;

export type SettingFlag = {
  /** `max-attempts` */
  readonly flag: string;
  readonly name: SettingName;
  /** `boolean` flags take no value. */
  readonly type: 'boolean' | 'number' | 'string';
  /** `auto|fork|live`, `NUMBER`, `TEXT`, `A,B`; empty for `boolean`. */
  readonly value: string;
  /** The names that a value, or an item of a list, can be here: no extension adds others. */
  readonly names?: readonly string[];
  readonly isList: boolean;
  readonly nullable: boolean;
  readonly description: string;
  readonly fallback: unknown;
};

type PropertySchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  /** The built-in names, where other extensions can add some. */
  readonly examples?: readonly string[];
  readonly anyOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
  readonly description?: string;
  readonly default?: unknown;
};

/** What a setting means on the command line beyond its description. */
const HERE: Partial<Readonly<Record<SettingName, string>>> = {
  onPass:
    'With insert, the cell still runs in the command’s own kernel if a later target needs it and its attempt had no side effects.',
  confirmClean:
    'On by default for run only; --no-confirm-clean turns it off. A pass that fails in the fresh kernel counts as failed.',
  keepBest: 'The exit status stays that of a session without a pass.',
  allowWrites:
    'Required if file writes cannot be isolated and there is no terminal to ask at.'
};

/** Settings of several values that are a switch here, with what it stands for. */
const SWITCHES: Partial<
  Readonly<Record<SettingName, Readonly<Record<string, string>>>>
> = { keepBest: { true: 'always', false: 'never' } };

/** Settings of a session with a model: `check` makes no attempt of a model's, and calls none. */
const RUN_ONLY: readonly SettingName[] = [
  ...SETTING_GROUPS.filter(({ heading }) => heading === 'Models').flatMap(
    group => group.names
  ),
  'maxAttempts',
  'maxTokens',
  'maxCost',
  'patience',
  'feedback',
  'onPass',
  'keepBest'
];

export const settingFlags: readonly SettingFlag[] = readFlags();

/** Those that a command has. */
export function settingFlagsOf(command: CommandName): readonly SettingFlag[] {
  return settingFlags.filter(
    ({ name }) => command !== 'check' || !RUN_ONLY.includes(name)
  );
}

function readFlags(): readonly SettingFlag[] {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
  const properties = (schema.properties ?? {}) as Readonly<
    Record<SettingName, PropertySchema>
  >;
  return (Object.keys(settingsSchema.shape) as SettingName[]).map(name => {
    const property = properties[name];
    const variants = property.anyOf ?? [property];
    const types = variants.flatMap(variant => variant.type ?? []);
    const type =
      types.includes('boolean') || SWITCHES[name]
        ? 'boolean'
        : types.includes('number') || types.includes('integer')
          ? 'number'
          : 'string';
    return {
      flag: kebabCase(name),
      name,
      type,
      value:
        type === 'boolean'
          ? ''
          : ((property.enum ?? property.examples)?.join('|') ??
            (Array.isArray(property.default)
              ? 'A,B'
              : { number: 'NUMBER', string: 'TEXT' }[type])),
      names: property.enum ?? property.examples ?? property.items?.examples,
      isList: types.includes('array'),
      nullable: types.includes('null'),
      description: [property.description, HERE[name]].filter(Boolean).join(' '),
      fallback: property.default
    };
  });
}

/**
 * The value of one setting from its text.
 *
 * @throws UsageError naming the flag, the value and what would be right.
 */
export function parseSetting(
  setting: SettingFlag,
  text: string
): RefineOptions[SettingName] {
  const { flag, name, names, isList, type, nullable } = setting;
  const raw =
    SWITCHES[name] !== undefined
      ? (SWITCHES[name][text] ?? text)
      : nullable && text === 'none'
        ? null
        : type === 'number' && /^-?\d+(\.\d+)?$/.test(text)
          ? Number(text)
          : type === 'boolean'
            ? text === 'true'
            : text;
  const parsed = settingsSchema.shape[name].safeParse(raw);
  const isKnown = [parsed.data]
    .flat()
    .every(value => names?.includes(String(value)) ?? true);
  if (!parsed.success || !isKnown) {
    const wanted = names
      ? `it must be ${isList ? 'one or more' : 'one'} of ${names.join(', ')}${isList ? ', with commas between' : ''}`
      : (parsed.error?.issues[0]?.message ?? '').replace(/\.$/, '');
    throw new UsageError(
      `--${flag} ${text || '""'}: ${wanted}${nullable ? ', or none' : ''}.`
    );
  }
  return parsed.data;
}
