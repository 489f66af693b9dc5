/** What the command line can be asked to do, its flags but for those of the settings, and what it needs of its process. */
import { kebabCase, type RefineOptions } from '../../core/settings';
import type { ScreenStream } from '../report/screen';

/** Names of the commands that have flags. */
export const COMMANDS = ['run', 'check'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** A flag, as the help shows it: `outputDir` is `--output-dir`, and what was given is in the command by the same name. */
type Flag = {
  /** Placeholder in the help; empty for a switch. */
  readonly value: string;
  readonly description: string;
  readonly multiple?: true;
  /** The command that has it; none: both. */
  readonly only?: CommandName;
};

const FLAGS = {
  cell: {
    value: 'ID|INDEX',
    description:
      'Use only this target, or the target of this prompt or assertion cell. The index counts from 0. Repeatable.',
    multiple: true
  },
  prompt: {
    value: 'TEXT',
    description:
      'Task of the one target, in place of its comment, docstring or the text above it. Not for a target with a %%refine cell, which has the task.',
    only: 'run'
  },
  output: {
    value: 'FILE',
    description:
      'Write the notebook to this file, in a folder that is created if needed.',
    only: 'run'
  },
  outputDir: {
    value: 'FOLDER',
    description:
      'Write the notebooks to this folder, created if needed. Subfolders are kept.',
    only: 'run'
  },
  inPlace: { value: '', description: 'Overwrite the notebook.', only: 'run' },
  profile: {
    value: 'NAME',
    description:
      'Model profile of the Jupyter server. The profile demo has recorded answers.',
    only: 'run'
  },
  baseUrl: {
    value: 'URL',
    description:
      'URL of an OpenAI-compatible server, used instead of all profiles. Same as OPENAI_BASE_URL. With --server: called from this machine, so that the server needs no jupyterlab-refine.',
    only: 'run'
  },
  model: {
    value: 'NAME',
    description:
      'Model of the profile, or of the server at --base-url. Not together with --generator-model.',
    only: 'run'
  },
  kernel: {
    value: 'NAME',
    description: 'Kernel to use instead of the notebook’s own.'
  },
  events: {
    value: 'FILE',
    description:
      'Write every event to this file as it happens, one JSON object per line.'
  },
  server: {
    value: 'URL',
    description: 'Use this running Jupyter server. Default: start one.'
  },
  token: {
    value: 'TOKEN',
    description: 'Token of the server at --server. Default: JUPYTER_TOKEN.'
  },
  workers: {
    value: 'N',
    description:
      'Number of notebooks at the same time. Default: 1. The order of the results does not change.'
  },
  tests: {
    value: 'MASTER',
    description:
      'Take the locked tests from this nbgrader notebook, by their grade ids, and report those that were edited.',
    only: 'check'
  },
  csv: {
    value: 'FILE',
    description: 'Write the results to this file, a row for each test.',
    only: 'check'
  },
  junit: {
    value: 'FILE',
    description: 'Write the results to this file as JUnit XML.'
  },
  quiet: {
    value: '',
    description: 'Print results and errors only: no progress, no warnings.'
  },
  record: {
    value: 'FILE',
    description:
      'Write each call of a model to this file: the prompt and the answer, no keys and no headers.',
    only: 'run'
  },
  replay: {
    value: 'FILE',
    description:
      'Answer from a file of --record; no model is called. A prompt that has changed is an error that shows where.',
    only: 'run'
  },
  dryRun: {
    value: '',
    description:
      'Print what would be sent to the model first. Runs and sends nothing.',
    only: 'run'
  },
  strict: {
    value: '',
    description:
      'Exit with status 1 also if a check of a pass is not confirmed.'
  },
  json: { value: '', description: 'Print the results as JSON.' },
  help: { value: '', description: 'Print this text.' }
} as const satisfies Readonly<Record<string, Flag>>;

type Flags = typeof FLAGS;

/** Those that a command has. */
export function flagsOf(
  command: CommandName
): readonly (Flag & { readonly flag: string })[] {
  return Object.entries<Flag>(FLAGS)
    .filter(([, { only = command }]) => only === command)
    .map(([key, flag]) => ({ ...flag, flag: kebabCase(key) }));
}

/** What was given for each flag, by its name. */
export function flagValues(
  given: (flag: string) => unknown
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries<Flag>(FLAGS).map(([key, { value, multiple }]) => [
      key,
      given(kebabCase(key)) ?? (multiple ? [] : value === '' ? false : null)
    ])
  );
}

/** Null for a text that was not given, as for one that the command does not have. */
type Value<F extends Flag> = F extends { readonly multiple: true }
  ? readonly string[]
  : F extends { readonly value: '' }
    ? boolean
    : string | null;

type Values = { readonly [N in keyof Flags]: Value<Flags[N]> };

/** `run` or `check`. */
export type NotebookCommand = Omit<
  Values,
  'server' | 'token' | 'help' | 'workers'
> & {
  readonly command: CommandName;
  /** Each file once. */
  readonly notebooks: readonly string[];
  /** A given server; null: start one. */
  readonly server: { readonly url: string; readonly token: string } | null;
  readonly workers: number;
  readonly options: RefineOptions;
};

export type Command =
  | NotebookCommand
  | { readonly command: 'help'; readonly about: CommandName | null }
  | { readonly command: 'version' };

/** What the command line needs of its process, so that a test can be one. */
export type CommandLinePorts = {
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly version: string;
  /** Path of `jupyterlab_refine/warm/start.py`. */
  readonly warmProgram: string;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
};

/** The command line was used wrongly: exit status 2, with a line on where to read more. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
