/** What the command line needs of its process, so that a test can be one. */
import type { IQuestions } from './questions';
import type { ScreenStream } from '../report/screen';

export type CommandLinePorts = {
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  /** Standard error for commands to GitHub's runner, which the other streams hold back. */
  readonly runner: ScreenStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly questions: IQuestions;
  readonly version: string;
  /** Path of `jupyterlab_refine/warm/start.py`; null where there is none. */
  readonly warmProgram: string | null;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
};
