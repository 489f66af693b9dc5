/** What can be written at a place of a `%%refine` or `%refine` line. */
import * as z from 'zod';
import { notebookOptionNames, settingsSchema } from '../../core/settings';

export type LineCompletion = {
  /** What is replaced, as offsets in the source. */
  readonly start: number;
  readonly end: number;
  readonly items: readonly {
    readonly label: string;
    readonly kind: 'option' | 'value' | 'command';
    /** What the option means. */
    readonly documentation?: string;
  }[];
};

type Item = LineCompletion['items'][number];

type PropertySchema = {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
  readonly description?: string;
  readonly default?: unknown;
};

/** Null outside of such a line. */
export function completeLine(
  source: string,
  offset: number
): LineCompletion | null {
  const start = source.lastIndexOf('\n', offset - 1) + 1;
  const before = source.slice(start, offset);
  const first = source.slice(0, start).trim() === '';
  const isCell = first && /^\s*%%refine\s/.test(before);
  if (!isCell && !/^[ \t]*%refine\s/.test(before)) {
    return null;
  }
  const words = before.trimStart().split(/[ \t]+/);
  const word = words.at(-1) ?? '';
  const earlier = words.slice(1, -1);
  const found = isCell
    ? inCell(word, earlier)
    : { typed: word, items: earlier.length === 0 ? [STOP] : [] };
  return {
    start: offset - found.typed.length,
    end: offset,
    items: found.items.filter(({ label }) => label.startsWith(found.typed))
  };
}

const STOP: Item = {
  label: 'stop',
  kind: 'command',
  documentation: 'Stop the session of this notebook.'
};

type Found = { readonly typed: string; readonly items: readonly Item[] };

function inCell(word: string, earlier: readonly string[]): Found {
  const [, written, text] = /^--([\w-]+)=(.*)$/.exec(word) ?? [];
  if (written !== undefined && text !== undefined) {
    return valuesOf(written, text);
  }
  const [, last] = /^--([\w-]+)$/.exec(earlier.at(-1) ?? '') ?? [];
  if (last !== undefined && !word.startsWith('-')) {
    return valuesOf(last, word);
  }
  const used = earlier.map(other => other.replace(/=.*$/s, ''));
  const unused = options().filter(({ label }) => !used.includes(`--${label}`));
  if (word.startsWith('--')) {
    return { typed: word.slice(2), items: unused };
  }
  // Another word starts the prompt.
  return {
    typed: word,
    items:
      word === '' || word === '-'
        ? unused.map(item => ({ ...item, label: `--${item.label}` }))
        : []
  };
}

/** Without dashes: where those are written a kernel completes what follows them, and the two lists are merged. */
function options(): readonly Item[] {
  const all = properties();
  return notebookOptionNames.map(name => ({
    label: kebabCase(name),
    kind: 'option',
    documentation: describe(all[name])
  }));
}

/** Of a list the values that are not in it yet. */
function valuesOf(written: string, text: string): Found {
  const name = notebookOptionNames.find(n => kebabCase(n) === written);
  const schema = name && properties()[name];
  const names = schema?.items ? named(schema.items) : [];
  const list = text.split(',');
  return schema?.items
    ? {
        typed: list.at(-1) ?? '',
        items: names.filter(n => !list.includes(n)).map(value)
      }
    : { typed: text, items: schema ? named(schema).map(value) : [] };
}

function value(label: string): Item {
  return { label, kind: 'value' };
}

function named(schema: PropertySchema): readonly string[] {
  const variants = schema.anyOf ?? [schema];
  return variants.flatMap(variant =>
    variant.type === 'boolean'
      ? ['true', 'false']
      : (variant.enum ?? variant.examples ?? []).map(String)
  );
}

/** The default follows the description: it is what is used without the option. */
function describe(schema: PropertySchema | undefined): string {
  const fallback = schema?.default;
  const shown =
    typeof fallback === 'number' || (typeof fallback === 'string' && fallback)
      ? ` [${fallback}]`
      : '';
  return `${schema?.description ?? ''}${shown}`;
}

let known: Readonly<Record<string, PropertySchema>> | null = null;

function properties(): Readonly<Record<string, PropertySchema>> {
  known ??= (z.toJSONSchema(settingsSchema, { io: 'input' }).properties ??
    {}) as Readonly<Record<string, PropertySchema>>;
  return known;
}

function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}
