/** What a session is given beside its request. */
import type { IClock } from './clock';
import type { IAddedEvaluator } from './evaluators/added';
import type { Execution } from './domain/execution';
import type { IExecutor } from './domain/executor';
import type { ILanguageModel } from './domain/model';
import type { IFeedbackStrategy } from './domain/visible';
import type { Steering } from './session/steering';
import type { IEvaluator, Verdict } from './domain/verdict';

/**
 * `continue`: the target passes as it is, continue? `execute`: run this candidate
 * (with `approveExecution`)? It comes with its detail.
 */
export type Ask = (
  subject: 'continue' | 'execute',
  signal: AbortSignal,
  detail?: { readonly attempt: number; readonly code: string }
) => Promise<boolean>;

/** What a human is asked to approve: a candidate that all other evaluators let pass. */
export type Review = {
  readonly attempt: number;
  readonly candidate: string;
  /** Of the evaluators before. */
  readonly verdict: Verdict;
  /** What running it gave; null where nothing ran. */
  readonly execution: Execution | null;
};

/** A rejection with a hint continues with it; with an empty one it ends the session. */
export type Reviewed =
  | { readonly decision: 'approve' }
  | { readonly decision: 'reject'; readonly hint: string };

/** What other extensions add to sessions, by name. */
export type Extensions = {
  readonly evaluators: ReadonlyMap<string, IAddedEvaluator>;
  readonly feedback: ReadonlyMap<string, IFeedbackStrategy>;
};

export const NO_EXTENSIONS: Extensions = {
  evaluators: new Map(),
  feedback: new Map()
};

export type RefineDeps = {
  /** Writes the candidates; null checks what the target holds, tries what {@link steering} has of the user's own code, and ends. */
  readonly generator: ILanguageModel | null;
  readonly executor: IExecutor;
  /** Judges, where the settings ask for a judge; default: the generator. */
  readonly evaluatorModel?: ILanguageModel | null;
  /** Default: those that the settings ask for. */
  readonly evaluators?: readonly IEvaluator[];
  /** Evaluators and feedback strategies that the settings may name beside the built-in ones; default: none. */
  readonly extensions?: Extensions;
  readonly clock: IClock;
  readonly steering?: Steering;
  /** Asks the user for permission; default: stop at a target that passes, and run no candidate that needs approval. */
  readonly ask?: Ask;
  /** The human evaluator; none: `human` cannot be asked and says so. */
  readonly review?: (review: Review, signal: AbortSignal) => Promise<Reviewed>;
  /** The session's stop. */
  readonly signal: AbortSignal;
};

/** The same without a writer, which a check does not need. */
export type CheckDeps = Omit<RefineDeps, 'generator'>;
