/** The flags of the command line, but for those of the settings. */
import type { CommandName } from './commands';

/** A flag of the command line, as the help shows it. */
export type Flag = {
  readonly flag: string;
  /** Placeholder in the help; empty for a flag without value. */
  readonly value: string;
  readonly description: string;
  readonly multiple?: boolean;
  /** The command that has it; none: both. */
  readonly only?: CommandName;
};

/** Those that a command has. */
export function flagsOf(command: CommandName): readonly Flag[] {
  return flags.filter(({ only = command }) => only === command);
}

const flags: readonly Flag[] = [
  {
    flag: 'cell',
    value: 'ID|INDEX',
    description:
      'Use only this target, or the target of this prompt or assertion cell. The index counts from 0. Repeatable.',
    multiple: true
  },
  {
    flag: 'prompt',
    value: 'TEXT',
    description:
      'Task of the one target, in place of its comment, docstring or the text above it. Not for a target with a %%refine cell, which has the task.',
    only: 'run'
  },
  {
    flag: 'output',
    value: 'FILE',
    description: 'Write the notebook to this file.',
    only: 'run'
  },
  {
    flag: 'output-dir',
    value: 'FOLDER',
    description:
      'Write the notebooks to this folder, created if needed. Subfolders are kept.',
    only: 'run'
  },
  {
    flag: 'in-place',
    value: '',
    description: 'Overwrite the notebook.',
    only: 'run'
  },
  {
    flag: 'profile',
    value: 'NAME',
    description:
      'Model profile of the Jupyter server. The profile demo has recorded answers.',
    only: 'run'
  },
  {
    flag: 'base-url',
    value: 'URL',
    description:
      'URL of an OpenAI-compatible server, used instead of all profiles. Same as OPENAI_BASE_URL. With --server: called from this machine, so that the server needs no jupyterlab-refine.',
    only: 'run'
  },
  {
    flag: 'model',
    value: 'NAME',
    description:
      'Model of the profile, or of the server at --base-url. Not together with --generator-model.',
    only: 'run'
  },
  {
    flag: 'kernel',
    value: 'NAME',
    description: 'Kernel to use instead of the notebook’s own.'
  },
  {
    flag: 'events',
    value: 'FILE',
    description:
      'Write every event to this file as it happens, one JSON object per line.'
  },
  {
    flag: 'server',
    value: 'URL',
    description: 'Use this running Jupyter server. Default: start one.'
  },
  {
    flag: 'token',
    value: 'TOKEN',
    description: 'Token of the server at --server. Default: JUPYTER_TOKEN.'
  },
  {
    flag: 'clean',
    value: '',
    description: 'Short for --confirm-clean.',
    only: 'check'
  },
  {
    flag: 'workers',
    value: 'N',
    description:
      'Number of notebooks at the same time. Default: 1. The order of the results does not change. With more than one, run asks nothing.'
  },
  {
    flag: 'tests',
    value: 'MASTER',
    description:
      'Take the locked tests from this nbgrader notebook, by their grade ids, and report those that were edited.',
    only: 'check'
  },
  {
    flag: 'csv',
    value: 'FILE',
    description: 'Write the results to this file, a row for each test.',
    only: 'check'
  },
  {
    flag: 'junit',
    value: 'FILE',
    description: 'Write the results to this file as JUnit XML.'
  },
  {
    flag: 'quiet',
    value: '',
    description:
      'Print results and errors only: no progress, no warnings, no questions.'
  },
  {
    flag: 'record',
    value: 'FILE',
    description:
      'Write each call of a model to this file: the prompt and the answer, no keys and no headers.',
    only: 'run'
  },
  {
    flag: 'replay',
    value: 'FILE',
    description:
      'Answer from a file of --record; no model is called. A prompt that has changed is an error that shows the difference.',
    only: 'run'
  },
  {
    flag: 'dry-run',
    value: '',
    description:
      'Print what would be sent to the model first, and what the calls cost at most. Runs and sends nothing.',
    only: 'run'
  },
  {
    flag: 'notebook-timeout',
    value: 'SECONDS',
    description:
      'Time limit of a notebook, all its targets together. Default: 600.',
    only: 'check'
  },
  {
    flag: 'strict',
    value: '',
    description:
      'Exit with status 1 also if a check of a pass is not confirmed.'
  },
  { flag: 'json', value: '', description: 'Print the results as JSON.' },
  { flag: 'help', value: '', description: 'Print this text.' },
  { flag: 'version', value: '', description: 'Print the version.' }
];
