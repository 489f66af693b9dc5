/** From the text of a control to the value of a setting, with a sentence for one that does not fit. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { PROMPT_SLOTS, slotProblem } from '../../core/text/template';

/** What this form reads of a property of `schema/plugin.json`. */
export type SettingSchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly title?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
};

/** `value: undefined` removes the setting: its default holds. */
export type ReadValue =
  { readonly value: unknown } | { readonly problem: string };

export function isNullable(schema: SettingSchema): boolean {
  return types(schema).includes('null');
}

export function isNumeric(schema: SettingSchema): boolean {
  return types(schema).some(type => type === 'number' || type === 'integer');
}

/** A number as a user types it; an empty text where the schema allows null. */
export function readNumber(
  text: string,
  schema: SettingSchema,
  trans: TranslationBundle
): ReadValue {
  const trimmed = text.trim();
  if (trimmed === '' && isNullable(schema)) {
    return { value: undefined };
  }
  const value = Number(trimmed);
  const {
    minimum = -Infinity,
    exclusiveMinimum = -Infinity,
    maximum = Infinity
  } = schema;
  const fits =
    trimmed !== '' &&
    Number.isFinite(value) &&
    (!isWhole(schema) || Number.isSafeInteger(value)) &&
    value >= minimum &&
    value > exclusiveMinimum &&
    value <= maximum;
  return fits ? { value } : { problem: numberProblem(schema, trans) };
}

/** A text, or a template whose slots are right. */
export function readText(
  name: string,
  text: string,
  trans: TranslationBundle
): ReadValue {
  const slots = PROMPT_SLOTS[name as keyof typeof PROMPT_SLOTS] ?? null;
  const problem = slots && slotProblem(text, slots);
  if (!problem) {
    return { value: text };
  }
  return {
    problem:
      'missing' in problem
        ? trans.__('The slot %1 is missing.', slot(problem.missing))
        : trans.__(
            'There is no slot %1. Slots: %2.',
            slot(problem.unknown),
            problem.known.map(slot).join(', ')
          )
  };
}

/** One entry a line, without empty ones. */
export function readLines(text: string): ReadValue {
  return {
    value: text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line !== '')
  };
}

/** The sentence for a number that does not fit. */
function numberProblem(
  schema: SettingSchema,
  trans: TranslationBundle
): string {
  const range = numberRange(schema, trans);
  return isNullable(schema)
    ? trans.__('%1 Or leave this empty.', range)
    : range;
}

function numberRange(schema: SettingSchema, trans: TranslationBundle): string {
  const { minimum, maximum, exclusiveMinimum } = schema;
  const whole = isWhole(schema);
  const from =
    minimum ??
    (whole && exclusiveMinimum !== undefined
      ? Math.floor(exclusiveMinimum) + 1
      : undefined);
  if (from !== undefined && maximum !== undefined) {
    return whole
      ? trans.__('Enter a whole number from %1 to %2.', from, maximum)
      : trans.__('Enter a number from %1 to %2.', from, maximum);
  }
  if (from !== undefined) {
    return whole
      ? trans.__('Enter a whole number, %1 or more.', from)
      : trans.__('Enter a number, %1 or more.', from);
  }
  return exclusiveMinimum !== undefined
    ? trans.__('Enter a number greater than %1.', exclusiveMinimum)
    : trans.__('Enter a number.');
}

function isWhole(schema: SettingSchema): boolean {
  return types(schema).includes('integer');
}

function types({ type = [] }: SettingSchema): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

function slot(name: string): string {
  return `{{${name}}}`;
}
