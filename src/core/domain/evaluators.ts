/**
 * What the evaluators differ in, a record for each. A new one takes its record
 * here, its class in `evaluators/`, and the line that makes it in `standardEvaluators.ts`.
 */

type EvaluatorTraits = {
  /** A pass can rest on it where no cell checks the target. */
  readonly canPassAlone: boolean;
  /** Which of its verdicts prompts repeat: all, those that are not `unknown`, or none, since its results, findings or hints are there. */
  readonly inPrompts: 'all' | 'known' | 'none';
};

/** Of the evaluators of other extensions. */
const OTHERS: EvaluatorTraits = { canPassAlone: false, inPrompts: 'known' };

/** In the order in which the settings list them. */
const EVALUATORS = {
  assertions: { canPassAlone: false, inPrompts: 'none' },
  static: { canPassAlone: false, inPrompts: 'none' },
  judge: { canPassAlone: true, inPrompts: 'known' },
  scorer: { canPassAlone: true, inPrompts: 'all' },
  human: { canPassAlone: true, inPrompts: 'none' }
} satisfies Readonly<Record<string, EvaluatorTraits>>;

export type EvaluatorName = keyof typeof EVALUATORS;

export const EVALUATOR_NAMES = Object.keys(EVALUATORS) as [
  EvaluatorName,
  ...EvaluatorName[]
];

/** Those that a pass can be named after, the strongest first. */
export const CHECKING_EVALUATORS = [
  'assertions',
  'scorer',
  'judge',
  'human'
] as const;

export function traitsOf(name: string): EvaluatorTraits {
  return Object.hasOwn(EVALUATORS, name)
    ? EVALUATORS[name as EvaluatorName]
    : OTHERS;
}
