/**
 * What the evaluators differ in, a record for each. A new one takes its record
 * here, its class in `evaluators/`, and the line that makes it in `standardEvaluators.ts`.
 */

type EvaluatorTraits = {
  /** A pass can rest on it where no cell checks the target. */
  readonly canPassAlone: boolean;
  /** How strong a pass is that it gave, from 1, the strongest; null: a pass is never named after it. */
  readonly rank: number | null;
  /** Which of its verdicts prompts repeat: all, those that are not `unknown`, or none, since its results, findings or hints are there. */
  readonly inPrompts: 'all' | 'known' | 'none';
};

/** Of evaluators that a caller of the loop brings along. */
const OTHERS: EvaluatorTraits = {
  canPassAlone: true,
  rank: null,
  inPrompts: 'known'
};

/** In the order in which the settings list them. */
const EVALUATORS = {
  assertions: { canPassAlone: false, rank: 1, inPrompts: 'none' },
  static: { canPassAlone: false, rank: null, inPrompts: 'none' },
  judge: { ...OTHERS, rank: 3 },
  scorer: { ...OTHERS, rank: 2, inPrompts: 'all' },
  human: { ...OTHERS, rank: 4, inPrompts: 'none' }
} as const satisfies Readonly<Record<string, EvaluatorTraits>>;

export type EvaluatorName = keyof typeof EVALUATORS;

export const EVALUATOR_NAMES = Object.keys(EVALUATORS) as [
  EvaluatorName,
  ...EvaluatorName[]
];

/** Those that a pass can be named after. */
export type CheckingEvaluator = {
  [Name in EvaluatorName]: (typeof EVALUATORS)[Name]['rank'] extends null
    ? never
    : Name;
}[EvaluatorName];

/** Those that a pass can be named after, the strongest first. */
export const CHECKING_EVALUATORS = EVALUATOR_NAMES.filter(
  (name): name is CheckingEvaluator => EVALUATORS[name].rank !== null
).sort((a, b) => EVALUATORS[a].rank - EVALUATORS[b].rank);

export function traitsOf(name: string): EvaluatorTraits {
  return Object.hasOwn(EVALUATORS, name)
    ? EVALUATORS[name as EvaluatorName]
    : OTHERS;
}
