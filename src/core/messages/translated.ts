/**
 * Sentences in the user's language. Those of core, kernel and server arrive in
 * English, in events and errors; here each is recognized by its template, and
 * that is translated: `The kernel ended: killed.` becomes
 * `trans.__('The kernel ended: %1.', 'killed')`.
 */
import type { Translation } from '../text/english';
import { PYTHON } from './python';
import { SENTENCES } from './sentence';

/** A longer text is data, as a rule. */
const LONGEST = 4000;

/** Where one sentence may end and another start. */
const BOUNDARY = /[.,!?;:…] |\n| — /g;

/** So many boundaries ahead the end of a sentence is looked for. */
const MOST_PIECES = 10;

/** Fixed characters of a template that is recognized alone; a shorter one, as `%1 min`, only as a value of another. */
const ALONE = 8;

/** The name of an error in front of its message. */
const NAME = /^[\p{L}_][\p{L}\p{N}_.]*: /u;

export const TEMPLATES: readonly string[] = [
  ...new Set([...Object.values(SENTENCES), ...PYTHON])
];

type Pattern = {
  readonly template: string;
  /** What is around the slots; one more than there are slots. */
  readonly fixed: readonly string[];
  /** The number of each slot. */
  readonly slots: readonly number[];
  /** How many characters are fixed. */
  readonly size: number;
};

/** Patterns by how a text starts; of two with the same start the preferred one is first. */
class PatternIndex {
  /** By the first character of the first fixed part, which is '' where a slot is first. */
  private readonly _byStart = new Map<string, Pattern[]>();

  constructor(patterns: readonly Pattern[]) {
    for (const one of patterns) {
      const start = one.fixed[0]?.charAt(0) ?? '';
      const others = this._byStart.get(start);
      if (others === undefined) {
        this._byStart.set(start, [one]);
      } else {
        others.push(one);
      }
    }
  }

  /** Those that `text`, or a part from its start, can fit; those that start with a word are first. */
  candidates(text: string): readonly Pattern[] {
    return [text.charAt(0), ''].flatMap(start =>
      (this._byStart.get(start) ?? []).filter(one => canFit(text, one))
    );
  }
}

function canFit(text: string, { fixed }: Pattern): boolean {
  return fixed.every((part, i) =>
    i === 0 ? text.startsWith(part) : text.includes(part)
  );
}

/** Of two templates that fit, the one that leaves less to its slots is first. */
const PATTERNS: readonly Pattern[] = TEMPLATES.map(pattern).sort(
  (a, b) => b.size - a.size
);

const OF_VALUES = new PatternIndex(PATTERNS);

const OF_TEXTS = new PatternIndex(
  PATTERNS.filter(({ slots, size }) => slots.length === 0 || size >= ALONE)
);

/** `text` in the language of `trans`, as far as it is made of known sentences; everything else stays as it is. */
export function translated(text: string, trans: Translation): string {
  return text.length > LONGEST
    ? text
    : new Translator(trans, OF_TEXTS).text(text);
}

class Translator {
  constructor(
    private readonly _trans: Translation,
    private readonly _index: PatternIndex
  ) {}

  text(text: string): string {
    const bare = text.trim();
    if (bare === '') {
      return text;
    }
    const at = text.indexOf(bare);
    const candidates = this._index.candidates(bare);
    const fit = bestFit(bare, candidates);
    const known =
      this._named(bare, fit) ??
      (fit === null ? this._parts(bare, candidates) : this._said(fit));
    return text.slice(0, at) + known + text.slice(at + bare.length);
  }

  /** A name and its message, where `fit`, the best without a name, leaves more to its slots: `ValueError: messages` as one value. */
  private _named(text: string, fit: Fit | null): string | null {
    const [name] = NAME.exec(text) ?? [];
    if (name === undefined || fit?.pattern.fixed[0]) {
      return null;
    }
    const message = text.slice(name.length);
    const inner = bestFit(message, this._index.candidates(message));
    return inner !== null && inner.pattern.size > (fit?.pattern.size ?? 0)
      ? name + this._said(inner)
      : null;
  }

  private _said({ pattern: { template, slots }, values }: Fit): string {
    const inner = new Translator(this._trans, OF_VALUES);
    const said: string[] = [];
    slots.forEach((slot, i) => (said[slot - 1] = inner.text(values[i] ?? '')));
    return this._trans.__(template, ...said);
  }

  /** The longest known start, then the rest; one that is not known stays as it is up to the first boundary. */
  private _parts(text: string, candidates: readonly Pattern[]): string {
    const ends = [...text.matchAll(BOUNDARY)].slice(0, MOST_PIECES);
    const cuts = ends.flatMap(({ index, 0: sign }) =>
      sign.trim() === '' || sign === ' — ' ? [index] : [index, index + 1]
    );
    for (const cut of cuts.reverse()) {
      const fit = cut > 0 ? bestFit(text.slice(0, cut), candidates) : null;
      if (fit !== null) {
        return this._said(fit) + this._rest(text.slice(cut));
      }
    }
    const [first] = ends;
    return first === undefined
      ? text
      : text.slice(0, first.index) + this._rest(text.slice(first.index));
  }

  private _rest(text: string): string {
    const sign = /^(?:[.,!?;:…]| —)?\s*/.exec(text)?.[0] ?? '';
    return sign + this.text(text.slice(sign.length));
  }
}

type Fit = {
  readonly pattern: Pattern;
  /** What fills its slots, in the order of the text. */
  readonly values: readonly string[];
};

function bestFit(text: string, candidates: readonly Pattern[]): Fit | null {
  for (const pattern of candidates) {
    const values = match(text, pattern.fixed);
    if (values !== null) {
      return { pattern, values };
    }
  }
  return null;
}

/** What fills the slots; null when the text has another form. Takes linear time: texts may be hostile. */
function match(text: string, fixed: readonly string[]): string[] | null {
  const [first = '', ...others] = fixed;
  const last = others.pop();
  if (last === undefined) {
    return text === first ? [] : null;
  }
  if (!text.startsWith(first) || !text.endsWith(last)) {
    return null;
  }
  const values: string[] = [];
  let at = first.length;
  for (const part of others) {
    const end = text.indexOf(part, at + 1);
    if (end <= at) {
      return null;
    }
    values.push(text.slice(at, end));
    at = end + part.length;
  }
  const end = text.length - last.length;
  return end > at ? [...values, text.slice(at, end)] : null;
}

function pattern(template: string): Pattern {
  const fixed = template.split(/%\d/).map(part => part.replace(/%%/g, '%'));
  const slots = [...template.matchAll(/%(\d)/g)].map(([, n]) => Number(n));
  return { template, fixed, slots, size: fixed.join('').length };
}
