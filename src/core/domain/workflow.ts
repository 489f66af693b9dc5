/** The published patterns as presets of the settings. None raises a limit: a notebook may choose one. */
import { settingsSchema, type RefineOptions } from '../settings';

type Preset = Partial<Omit<RefineOptions, 'workflow'>>;

/** Earlier attempts in a prompt: every one, the best and the last, or the best alone. */
export type MemoryStyle = 'all' | 'compact' | 'best';

const WITH_JUDGE: RefineOptions['evaluators'] = ['assertions', 'judge'];

const PRESETS: Readonly<Record<RefineOptions['workflow'], Preset>> = {
  /** What fits the failure, the best and the last attempt, fresh starts: the union of the patterns. */
  standard: {},
  /** Generated code against tests, with what running it gave. */
  execution: { evaluators: ['assertions'], feedback: 'auto' },
  /** A separate judge with actions to take. */
  'evaluator-optimizer': {
    evaluators: WITH_JUDGE,
    criteria: ['correctness', 'complexity', 'style']
  },
  /** The same with criteria, each scored by itself. */
  'typed-evaluator': {
    evaluators: WITH_JUDGE,
    criteria: ['correctness', 'complexity', 'documentation']
  },
  /** One model writes, judges and refines three times; the last refinement is the result. */
  'self-refine': {
    evaluators: WITH_JUDGE,
    maxAttempts: 4,
    keepBest: 'always'
  },
  /** A score, until it is good enough or reaches a plateau. */
  scored: {
    evaluators: WITH_JUDGE,
    feedback: 'score',
    targetScore: 0.9,
    patience: 3
  }
};

/** Whether the pattern has the model write its thoughts before the code, and sends them back. */
export function keepsThoughts({
  workflow
}: Pick<RefineOptions, 'workflow'>): boolean {
  return ['evaluator-optimizer', 'typed-evaluator', 'self-refine'].includes(
    workflow
  );
}

/** What the prompts of a workflow show of earlier attempts. */
export function memoryStyle(
  options: Pick<RefineOptions, 'workflow'>
): MemoryStyle {
  return keepsThoughts(options)
    ? 'all'
    : options.workflow === 'scored'
      ? 'best'
      : 'compact';
}

const SCORES: readonly string[] = ['evaluators', 'targetScore'];

const DEFAULTS: RefineOptions = settingsSchema.parse({});

/**
 * The options with their workflow's preset, which holds where an option has its
 * default. Applying it again changes nothing.
 *
 * @param measured - a scorer is there: the numbers of `scored` are of scores from
 * 0 to 1, and its judge stands in for a scorer.
 */
export function withWorkflow(
  options: RefineOptions,
  measured = false
): RefineOptions {
  const hasDefault = (name: keyof RefineOptions) =>
    JSON.stringify(options[name]) === JSON.stringify(DEFAULTS[name]);
  const preset = Object.entries(PRESETS[options.workflow]).filter(
    ([name]) =>
      hasDefault(name as keyof RefineOptions) &&
      !(measured && options.workflow === 'scored' && SCORES.includes(name))
  );
  return { ...options, ...Object.fromEntries(preset) };
}
