/** Sentences by id: `sentence('check.line', 3)` is `line 3` */
import { english } from '../text/english';
import { CORE } from './core';
import { KERNEL } from './kernel';
import { MODELS } from './models';
import { NOTEBOOK } from './notebook';

/** Id and English template; `%1` is the first value. */
export const SENTENCES = { ...CORE, ...KERNEL, ...MODELS, ...NOTEBOOK };

export type SentenceId = keyof typeof SENTENCES;

type Value = string | number;

/** As many values as the template has slots. */
type ValuesOf<Template extends string> = Template extends `${string}%4${string}`
  ? [Value, Value, Value, Value]
  : Template extends `${string}%3${string}`
    ? [Value, Value, Value]
    : Template extends `${string}%2${string}`
      ? [Value, Value]
      : Template extends `${string}%1${string}`
        ? [Value]
        : [];

/** The sentence in English, for events, errors, prompts and the command line; the panel shows it `translated`. */
export function sentence<Id extends SentenceId>(
  id: Id,
  ...values: ValuesOf<(typeof SENTENCES)[Id]>
): string {
  return english.__(SENTENCES[id], ...values);
}
