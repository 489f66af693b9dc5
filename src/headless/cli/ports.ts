/** What the command line needs of its process, so that a test can be one. */
import type { IQuestions } from './questions';
import type { ScreenStream } from '../report/screen';

export type CommandLinePorts = {
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly questions: IQuestions;
  readonly version: string;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
};
