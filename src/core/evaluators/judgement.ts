/** What a judge answers: one schema for response format, reading and types. */
import * as z from 'zod';
import { parseObject } from '../text/json';
import type { Evaluation } from '../domain/verdict';
import { readScore, toFraction } from './readScore';

const SCORE = z.number().min(0).max(10).describe('0 (useless) to 10 (perfect)');

/** @param criteria - the user's own, each scored by itself. */
function judgementSchema(criteria: readonly string[]) {
  // In the order in which they are written: reasons first, so that the verdict follows from them.
  return z.object({
    reasons: z
      .string()
      .describe('What the answer does, measured against the task, in short'),
    feedback: z
      .array(z.string())
      .describe('What to change, one action each; empty when nothing'),
    ...(criteria.length === 0
      ? {}
      : {
          criteria: z
            .object(Object.fromEntries(criteria.map(name => [name, SCORE])))
            .describe('A score for each criterion')
        }),
    score: SCORE,
    evaluation: z.enum(['PASS', 'NEEDS_IMPROVEMENT', 'FAIL']),
    done: z.boolean().describe('True when nothing needs to be changed')
  });
}

export type Judgement = {
  /** Null when only a score was given. */
  readonly evaluation: Evaluation | null;
  /** In [0, 1]; null when none could be read. */
  readonly score: number | null;
  readonly feedback: readonly string[];
  /** In [0, 1], by criterion. */
  readonly criteria: Readonly<Record<string, number>>;
};

/** The schema as servers want it: without the address of its dialect, which some refuse, our own among them. */
export function judgementFormat(criteria: readonly string[]) {
  const schema = Object.entries(z.toJSONSchema(judgementSchema(criteria)));
  return {
    name: 'judgement',
    schema: Object.fromEntries(schema.filter(([key]) => key !== '$schema'))
  };
}

/** Null when the answer is neither the object nor a sentence that can be read safely. */
export function readJudgement(
  text: string,
  criteria: readonly string[]
): Judgement | null {
  const visible = text.replace(/<(think|thinking)>[\s\S]*?(?:<\/\1>|$)/gi, '');
  const object = parseObject(visible);
  if (object !== null) {
    return isAnswer(visible, object) ? readObject(object, criteria) : null;
  }
  // An object that is cut off or malformed is no sentence.
  return /"(?:evaluation|verdict|score|done)"\s*:/.test(visible)
    ? null
    : readSentence(visible);
}

/**
 * Whether the object in `text` is the judge's own: on lines of its own, or after a
 * colon, and with no other verdict beside it. One within a sentence is quoted.
 */
function isAnswer(
  text: string,
  object: Readonly<Record<string, unknown>>
): boolean {
  const before = text.slice(0, text.indexOf('{'));
  const after = text.slice(text.lastIndexOf('}') + 1);
  const labels = [before, after]
    .flatMap(part => part.split('\n'))
    .flatMap(line => readLabel(plainLine(line)));
  return (
    /(?:^|[\n:>])[ \t*_`[]*$/.test(before) &&
    /^[ \t*_`\]]*(?:$|\n|<)/.test(after) &&
    labels.every(label => label === labelOf(verdictOf(object)))
  );
}

const EVALUATIONS: Readonly<Record<string, Evaluation>> = {
  PASS: 'pass',
  NEEDS_IMPROVEMENT: 'needs-improvement',
  FAIL: 'fail'
};

/** Read part by part: a model that leaves one out has still said the others. */
function readObject(
  object: Readonly<Record<string, unknown>>,
  criteria: readonly string[]
): Judgement | null {
  const said = verdictOf(object);
  const label = labelOf(said);
  if (label === null && typeof said === 'string') {
    return null;
  }
  const score = numberOf(object.score);
  const feedback = z
    .union([z.array(z.string()), z.string().transform(text => [text])])
    .safeParse(object.feedback);
  const done = z.boolean().safeParse(object.done);
  if (label === null && score === null && !done.success) {
    return null;
  }
  const given = z.record(z.string(), z.unknown()).safeParse(object.criteria);
  const scores = criteria.map(
    name => [name, numberOf(given.data?.[name])] as const
  );
  return {
    evaluation:
      label ??
      (done.data === true
        ? 'pass'
        : // Self-refine's form as published: feedback and done, no score.
          score === null
          ? 'needs-improvement'
          : null),
    score,
    feedback: (feedback.data ?? [])
      .map(action => action.trim())
      .filter(action => action !== ''),
    criteria: Object.fromEntries(
      scores.filter(([, value]) => value !== null)
    ) as Record<string, number>
  };
}

function verdictOf(object: Readonly<Record<string, unknown>>): unknown {
  return object.evaluation ?? object.verdict;
}

/** `NEEDS_IMPROVEMENT`, `needs improvement`; null for anything else. */
function labelOf(value: unknown): Evaluation | null {
  const name = String(value)
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(EVALUATIONS, name) ? (EVALUATIONS[name] ?? null) : null;
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') {
    return toFraction(value);
  }
  return typeof value === 'string' ? readScore(value) : null;
}

/**
 * `PASS`, `Evaluation: NEEDS_IMPROVEMENT`, `Verdict: FAIL, score: 3/10`. A verdict is a whole
 * line, or the field of a line, and says nothing else: "The answer does not PASS." is none.
 */
function readSentence(text: string): Judgement | null {
  const outside = text.replace(/^(`{3,}|~{3,})[\s\S]*?^\1.*$/gm, '').trim();
  const lines = (outside || text.replace(/^(?:`{3,}|~{3,}).*$/gm, ''))
    .split('\n')
    .map(plainLine);
  const labels = new Set(lines.flatMap(readLabel));
  const score = readScore(lines.join('\n'));
  if (labels.size > 1 || (labels.size === 0 && score === null)) {
    return null;
  }
  const [label] = labels;
  return {
    evaluation: label ?? null,
    score,
    feedback: [...text.matchAll(/^\s*(?:[-*+]|\d+[.)])\s+(.+)$/gm)].map(
      ([, action = '']) => action.trim()
    ),
    criteria: {}
  };
}

function plainLine(line: string): string {
  return line.replace(/[*_`]{2,}|`|^\s*#+\s/g, '').trim();
}

const NAME =
  /^(?:(?:my |the |final |overall )*(?:verdict|evaluation|judge?ment|decision|result|assessment|conclusion)(?: is)?\s*[:=]?)\s*(.*)$/i;
const LABEL = /^(PASS|NEEDS[_ -]IMPROVEMENT|FAIL)[.!]?$/;
/** What asks for a change may be followed by what it asks for. */
const WITH_REASON = /^(NEEDS[_ -]IMPROVEMENT|FAIL)\s*[:.–—-]\s/;

/** The verdict of a line, if it is one; more than one if its fields disagree. */
function readLabel(line: string): Evaluation[] {
  const fields = line.split(/[,;|]|\s[–—-]\s/).map(field => {
    const named = NAME.exec(field.trim());
    return named ? (named[1] ?? '').toUpperCase() : field.trim();
  });
  const labels = fields.flatMap(field => LABEL.exec(field)?.[1] ?? []);
  const whole = fields.every(
    field => LABEL.test(field) || readScore(field) !== null
  );
  const [first = ''] = fields;
  const found = whole ? labels : [];
  const reasoned = WITH_REASON.exec(`${line.replace(NAME, '$1')} `)?.[1];
  const asked = LABEL.exec(first)?.[1] ?? reasoned;
  if (found.length === 0 && asked !== undefined && asked !== 'PASS') {
    found.push(asked);
  }
  return found.flatMap(label => EVALUATIONS[label.replace(/[ -]/, '_')] ?? []);
}
