/** What a judge answers: one schema for response format, reading and types. */
import * as z from 'zod';
import { parseObject } from '../text/json';
import type { Evaluation } from '../domain/verdict';

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

/** Null when the answer is neither the object, nor a verdict on its first line, nor a score on a line of its own. */
export function readJudgement(
  text: string,
  criteria: readonly string[]
): Judgement | null {
  const visible = text.replace(/<(think|thinking)>[\s\S]*?(?:<\/\1>|$)/gi, '');
  const object = parseObject(visible);
  return object === null
    ? (readLabel(visible) ?? readScore(visible))
    : isAnswer(visible)
      ? readObject(object, criteria)
      : null;
}

/** Whether the object in `text` is the judge's own: on lines of its own, or after a colon. One within a sentence is quoted. */
function isAnswer(text: string): boolean {
  return (
    /(?:^|[\n:>])[ \t*_`[]*$/.test(text.slice(0, text.indexOf('{'))) &&
    /^[ \t*_`\]]*(?:$|\n|<)/.test(text.slice(text.lastIndexOf('}') + 1))
  );
}

/** `PASS`, `Evaluation: NEEDS_IMPROVEMENT`, and nothing else on the line; the lines below are what to change. */
function readLabel(text: string): Judgement | null {
  const [first = '', ...others] = text.trim().split('\n');
  const [, label] =
    /^[*_# ]*(?:(?:verdict|evaluation)[:*_ ]+)?([\w -]+?)[*_.! ]*$/i.exec(
      first
    ) ?? [];
  const evaluation = labelOf(label);
  return evaluation === null || /\b(?:PASS|FAIL)\b/.test(others.join('\n'))
    ? null
    : {
        evaluation,
        score: null,
        feedback: others
          .map(line => line.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '').trim())
          .filter(line => line !== ''),
        criteria: {}
      };
}

const SCORED =
  /^(?:(?:the |my |overall |final )*(?:score|rating)(?: is)?[ :=]*)?(\d[\d.]*(?: ?\/ ?10)?)\.?$/i;

/** `Score: 8/10`, `8`; null where two lines differ. */
function readScore(text: string): Judgement | null {
  const scores = new Set(
    text
      .split('\n')
      .flatMap(
        line => SCORED.exec(line.replace(/[*_`#]/g, '').trim())?.[1] ?? []
      )
      .map(numberOf)
  );
  const [score = null] = scores;
  return scores.size === 1 && score !== null
    ? { evaluation: null, score, feedback: [], criteria: {} }
    : null;
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
  const said = object.evaluation ?? object.verdict;
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

/** `NEEDS_IMPROVEMENT`, `needs improvement`; null for anything else. */
function labelOf(value: unknown): Evaluation | null {
  const name = String(value)
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, '_');
  return Object.hasOwn(EVALUATIONS, name) ? (EVALUATIONS[name] ?? null) : null;
}

/** A score from 0 to 10 as one in [0, 1]; null for anything that could be misread, such as 0.8. */
function numberOf(value: unknown): number | null {
  const [, digits] = /^(\d+(?:\.\d+)?)(?: ?\/ ?10)?$/.exec(String(value)) ?? [];
  const score = Number(digits);
  return score > 10 || (score > 0 && score < 1) || Number.isNaN(score)
    ? null
    : score / 10;
}
