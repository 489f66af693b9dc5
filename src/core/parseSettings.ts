/** Settings from outside (JupyterLab, flags, a cell's options), read with the one schema. */
import type * as z from 'zod';
import { RefineError } from './errors';
import type { RefineOptions } from './options';
import { settingsSchema } from './settings';

export type SettingName = keyof RefineOptions;

export const settingNames = Object.keys(
  settingsSchema.shape
) as readonly SettingName[];

/**
 * @param input - some of the settings; the others take their defaults.
 * @param source - where they come from, for the message: `the settings`, `--max-attempts`, `cell 7`.
 * @throws RefineError kind `input`, code `bad-option`, that names the setting, the value and what it may be.
 */
export function parseSettings(input: unknown, source: string): RefineOptions {
  const value = input ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw badOption(
      `${source}: settings must be an object of names and values.`
    );
  }
  for (const name of Object.keys(value)) {
    if (!isSettingName(name)) {
      throw badOption(unknownName(name, source, settingNames));
    }
  }
  const read = settingsSchema.safeParse(value);
  if (!read.success) {
    throw badOption(
      explainIssue(
        read.error.issues[0],
        value as Readonly<Record<string, unknown>>,
        source
      )
    );
  }
  return read.data;
}

export function isSettingName(name: string): name is SettingName {
  return (settingNames as readonly string[]).includes(name);
}

function badOption(message: string): RefineError {
  return new RefineError('input', message, { code: 'bad-option' });
}

function unknownName(
  name: string,
  source: string,
  known: readonly string[]
): string {
  const lower = name.toLowerCase().replace(/[-_]/g, '');
  const near = known.find(
    other => other.toLowerCase() === lower || distance(other, name) <= 2
  );
  return near
    ? `${source}: there is no setting ${name}. Did you mean ${near}?`
    : `${source}: there is no setting ${name}. Settings are: ${known.join(', ')}.`;
}

function explainIssue(
  issue: z.core.$ZodIssue,
  input: Readonly<Record<string, unknown>>,
  source: string
): string {
  const name = String(issue.path[0]);
  if (issue.code === 'custom') {
    return `${source}: ${name}: ${issue.message}.`;
  }
  return `${source}: ${name} cannot be ${JSON.stringify(input[name])}. It must be ${wantedFor(issue)}.`;
}

function wantedFor(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') {
    return `one of ${issue.values.map(String).join(', ')}`;
  }
  if (issue.code === 'too_small') {
    return issue.inclusive
      ? `at least ${issue.minimum}`
      : `greater than ${issue.minimum}`;
  }
  if (issue.code === 'too_big') {
    return `at most ${issue.maximum}`;
  }
  if (issue.code === 'invalid_type') {
    return EXPECTED[issue.expected] ?? `a ${issue.expected}`;
  }
  return `valid (${issue.message})`;
}

const EXPECTED: Readonly<Record<string, string>> = {
  int: 'a whole number',
  boolean: 'true or false'
};

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(
        row[j] + 1,
        next[j - 1] + 1,
        row[j - 1] + Number(a[i - 1] !== b[j - 1])
      );
    }
    row = next;
  }
  return row[b.length];
}
