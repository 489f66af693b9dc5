/**
 * Sentences in the user's language. Those of core, kernel and server arrive in
 * English, in events and errors; here each is recognized by its template, and
 * that is translated: `Line 3 of a hold-out cannot fail.` becomes
 * `trans.__('Line %1 of a hold-out cannot fail.', '3')`.
 */
import type { Translation } from '../text/isolationWords';
import { SENTENCES } from './sentence';

/** A longer text is data, as a rule. */
const LONGEST = 4000;

/** Where one sentence may end and another start. */
const BOUNDARY = /[.!?;:…] |\n| — /g;

/** More pieces are data, as a rule. */
const MOST_PIECES = 24;

export const TEMPLATES: readonly string[] = Object.values(SENTENCES);

type Pattern = {
  readonly template: string;
  /** What is around the slots; one more than there are slots. */
  readonly fixed: readonly string[];
  /** The number of each slot. */
  readonly slots: readonly number[];
};

/** Of two templates that fit, the one that leaves less to its slots is first. */
const PATTERNS: readonly Pattern[] = TEMPLATES.map(pattern).sort(
  (a, b) => size(b) - size(a)
);

/** `text` in the language of `trans`, as far as it is made of known sentences; everything else stays as it is. */
export function translated(text: string, trans: Translation): string {
  if (text === '' || text.length > LONGEST) {
    return text;
  }
  return wholeTranslated(text, trans) ?? partsTranslated(text, trans);
}

function wholeTranslated(text: string, trans: Translation): string | null {
  for (const { template, fixed, slots } of PATTERNS) {
    const found = match(text, fixed);
    if (found !== null) {
      const values: string[] = [];
      slots.forEach((slot, i) => {
        values[slot - 1] = translated(found[i], trans);
      });
      return trans.__(template, ...values);
    }
  }
  return null;
}

/** The longest known start, then the rest; a start that is not known stays as it is up to the first boundary. */
function partsTranslated(text: string, trans: Translation): string {
  const ends = [...text.matchAll(BOUNDARY)].slice(0, MOST_PIECES);
  for (const end of [...ends].reverse()) {
    for (const at of new Set([
      end.index,
      end.index + end[0].trimEnd().length
    ])) {
      const known = at > 0 && wholeTranslated(text.slice(0, at), trans);
      if (known) {
        return known + translatedRest(text, at, trans);
      }
    }
  }
  const [first] = ends;
  return first === undefined
    ? text
    : text.slice(0, first.index) + translatedRest(text, first.index, trans);
}

/** From the sign at `at` on, which stays. */
function translatedRest(text: string, at: number, trans: Translation): string {
  const sign = /^(?:[.!?;:…]| —)?\s*/.exec(text.slice(at))?.[0] ?? '';
  const rest = text.slice(at + sign.length);
  return sign + translated(rest, trans);
}

/** What fills the slots; null when the text has another form. Takes linear time: texts may be hostile. */
function match(text: string, fixed: readonly string[]): string[] | null {
  const last = fixed.length - 1;
  if (last === 0) {
    return text === fixed[0] ? [] : null;
  }
  if (!text.startsWith(fixed[0]) || !text.endsWith(fixed[last])) {
    return null;
  }
  const values: string[] = [];
  let at = fixed[0].length;
  for (let i = 1; i <= last; i++) {
    const end =
      i === last
        ? text.length - fixed[last].length
        : text.indexOf(fixed[i], at + 1);
    if (end <= at) {
      return null;
    }
    values.push(text.slice(at, end));
    at = end + fixed[i].length;
  }
  return values;
}

function pattern(template: string): Pattern {
  const fixed = template.split(/%\d/).map(part => part.replace(/%%/g, '%'));
  const slots = [...template.matchAll(/%(\d)/g)].map(([, n]) => Number(n));
  return { template, fixed, slots };
}

function size({ fixed }: Pattern): number {
  return fixed.join('').length;
}
