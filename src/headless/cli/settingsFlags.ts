/** The command line's flags for settings: one for each key of the schema, in kebab-case. */
import * as z from 'zod';
import type { RefineOptions } from '../../core/options';
import { SETTING_GROUPS } from '../../core/settingGroups';
import { settingsSchema } from '../../core/settings';
import { type CommandName, UsageError } from './commands';

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
  /** What a value must be: `a whole number from 1 to 100`. */
  readonly expected: string;
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
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
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
  ...SETTING_GROUPS.filter(({ id }) => id === 'models').flatMap(
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
      flag: name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`),
      name,
      type,
      value:
        type === 'boolean'
          ? ''
          : ((property.enum ?? property.examples)?.join('|') ??
            (Array.isArray(property.default)
              ? 'A,B'
              : { number: 'NUMBER', string: 'TEXT' }[type])),
      names: property.examples ?? property.items?.examples,
      expected: expected(property.anyOf?.[0] ?? property),
      nullable: types.includes('null'),
      description: [property.description, HERE[name]].filter(Boolean).join(' '),
      fallback: property.default
    };
  });
}

function expected(schema: PropertySchema): string {
  const names = schema.enum ?? schema.examples;
  if (names) {
    return `one of ${names.join(', ')}`;
  }
  if (schema.items?.examples) {
    return `one or more of ${schema.items.examples.join(', ')}, with commas between`;
  }
  if (schema.type !== 'integer' && schema.type !== 'number') {
    return 'text';
  }
  const noun = schema.type === 'integer' ? 'a whole number' : 'a number';
  return `${noun}${range(schema)}`;
}

/** ` from 1 to 100`, ` above 0`; empty for any number. */
function range({ minimum, exclusiveMinimum, maximum }: PropertySchema): string {
  const isBound = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBound(exclusiveMinimum)) {
    return ` above ${exclusiveMinimum}${isBound(maximum) ? `, at most ${maximum}` : ''}`;
  }
  if (isBound(minimum)) {
    return isBound(maximum)
      ? ` from ${minimum} to ${maximum}`
      : ` from ${minimum}`;
  }
  return isBound(maximum) ? ` up to ${maximum}` : '';
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
  const { flag, name, names, type, nullable } = setting;
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
    const own = parsed.error?.issues.find(issue => issue.code === 'custom');
    const orNone = nullable ? ', or none' : '';
    throw new UsageError(
      `--${flag} ${text || '""'}: ${own?.message ?? `it must be ${setting.expected}${orNone}.`}`
    );
  }
  return parsed.data;
}
