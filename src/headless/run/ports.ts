/** What the run of a notebook uses of the command. */
import type { TargetPolicy } from '../../notebook';
import type { IQuestions } from '../cli/questions';
import type { IEventSink } from '../files/eventFile';
import type { Progress } from '../report/progress';
import type { ChosenModels } from '../server/modelChoice';

export type NotebookPorts = {
  /** Null: check only. */
  readonly models: ChosenModels | null;
  readonly policy: TargetPolicy;
  /** Environment variables with keys, as the server reports them. */
  readonly keyVariables?: readonly string[];
  readonly progress: Progress;
  readonly events: IEventSink;
  readonly questions: IQuestions;
  readonly version: string;
  readonly signal: AbortSignal;
};
