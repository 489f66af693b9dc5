/** What a session is given beside its request. */
import type { IClock } from './clock';
import type { IExecutor } from './executor';
import type { ILanguageModel } from './model';
import type { Steering } from './steering';
import type { IEvaluator } from './verdict';

export type RefineDeps = {
  /** Writes the candidates; null checks what the target holds and ends. */
  readonly generator: ILanguageModel | null;
  /** Takes over when a fresh start did not help; null or none: nobody does. */
  readonly strongerModel?: ILanguageModel | null;
  readonly executor: IExecutor;
  /** Judges, where the settings ask for a judge; default: the generator. */
  readonly evaluatorModel?: ILanguageModel | null;
  /** Default: those that the settings ask for. */
  readonly evaluators?: readonly IEvaluator[];
  readonly clock: IClock;
  readonly steering?: Steering;
  /** Asked when the target passes as it is; default: do not go on. */
  readonly ask?: (subject: 'continue', signal: AbortSignal) => Promise<boolean>;
  /** The session's stop. */
  readonly signal: AbortSignal;
};

/** The same without a writer, which a check does not need. */
export type CheckDeps = Omit<RefineDeps, 'generator'>;
