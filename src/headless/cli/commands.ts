/** What the command line can be asked to do. */
import type { RefineOptions } from '../../core/options';
import type { ScreenStream } from '../report/screen';
import type { IQuestions } from './questions';

export type NotebookCommand = {
  /** Each file once. */
  readonly notebooks: readonly string[];
  /** Ids or positions from 0; empty: every target. */
  readonly cells: readonly string[];
  /** Name of a kernel specification; null: the notebook's. */
  readonly kernel: string | null;
  readonly events: string | null;
  readonly json: boolean;
  readonly junit: string | null;
  /** Results and errors only. */
  readonly quiet: boolean;
  /** Notebooks that are worked on at the same time. */
  readonly workers: number;
  /** A pass whose checks are not all confirmed gives exit status 1. */
  readonly strict: boolean;
  /** A given server; null: start one. */
  readonly server: { readonly url: string; readonly token: string } | null;
  readonly options: RefineOptions;
};

export type RunCommand = NotebookCommand & {
  readonly command: 'run';
  readonly output: string | null;
  /** Folder for the results, with the folders that the notebooks are in; null: none. */
  readonly outputDir: string | null;
  readonly inPlace: boolean;
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly model: string | null;
  /** Of the one target; null: the notebook's own. */
  readonly prompt: string | null;
  /** File that model calls are written to; null: none. */
  readonly record: string | null;
  /** File that answers model calls; null: a model does. */
  readonly replay: string | null;
  /** Show what would be sent, and send nothing. */
  readonly dryRun: boolean;
};

export type CheckCommand = NotebookCommand & {
  readonly command: 'check';
  /** The notebook that the locked tests come from; null: each notebook's own. */
  readonly tests: string | null;
  readonly csv: string | null;
  /** Seconds for all targets of one notebook. */
  readonly notebookTimeout: number;
};

/** Names of the commands that have flags. */
export const COMMANDS = ['run', 'check'] as const;
export type CommandName = (typeof COMMANDS)[number];

export type Command =
  | RunCommand
  | CheckCommand
  | { readonly command: 'help'; readonly about: CommandName | null }
  | { readonly command: 'version' };

/** What the command line needs of its process, so that a test can be one. */
export type CommandLinePorts = {
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly questions: IQuestions;
  readonly version: string;
  /** Path of `jupyterlab_refine/warm/start.py`. */
  readonly warmProgram: string;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
};

/** The command line was used wrongly: exit status 2, with a line on where to read more. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
