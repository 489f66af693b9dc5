/** The command line's flags for settings: one for each key of the schema, in kebab-case. */
import * as z from 'zod';
import type { RefineOptions } from '../core/options';
import { settingsSchema } from '../core/settings';
import { UsageError } from './usageError';

type SettingName = keyof RefineOptions;

export type SettingFlag = {
  /** `max-attempts` */
  readonly flag: string;
  readonly name: SettingName;
  /** `boolean` flags take no value. */
  readonly type: 'boolean' | 'number' | 'string';
  /** `auto|fork|live`, `NUMBER`, `TEXT`, `A,B`; empty for `boolean`. */
  readonly value: string;
  readonly nullable: boolean;
  readonly description: string;
  readonly fallback: unknown;
};

type PropertySchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly PropertySchema[];
  readonly description?: string;
  readonly default?: unknown;
};

export const settingFlags: readonly SettingFlag[] = readFlags();

function readFlags(): readonly SettingFlag[] {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
  const properties = (schema.properties ?? {}) as Readonly<
    Record<string, PropertySchema>
  >;
  return (Object.keys(settingsSchema.shape) as SettingName[]).map(name => {
    const property = properties[name];
    const variants = property.anyOf ?? [property];
    const types = variants.flatMap(variant => variant.type ?? []);
    const type = types.includes('boolean')
      ? 'boolean'
      : types.includes('number') || types.includes('integer')
        ? 'number'
        : 'string';
    return {
      flag: name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`),
      name,
      type,
      value:
        variants[0].enum?.join('|') ??
        (Array.isArray(property.default)
          ? 'A,B'
          : { boolean: '', number: 'NUMBER', string: 'TEXT' }[type]),
      nullable: types.includes('null'),
      description: property.description ?? '',
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
  const { flag, name, type, nullable, value } = setting;
  const raw =
    nullable && text === 'none'
      ? null
      : type === 'number' && /^-?\d+(\.\d+)?$/.test(text)
        ? Number(text)
        : type === 'boolean'
          ? text === 'true'
          : text;
  const parsed = settingsSchema.shape[name].safeParse(raw);
  if (!parsed.success) {
    const said = parsed.error.issues[0]?.message ?? 'it is not valid';
    throw new UsageError(
      `--${flag} ${text}: ${said}. Expected ${value}${nullable ? ' or none' : ''}.`
    );
  }
  return parsed.data;
}
