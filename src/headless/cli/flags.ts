/** The flags of the command line, but for those of the settings. */
export type Flag = {
  readonly flag: string;
  /** Placeholder in the help; empty for a flag without value. */
  readonly value: string;
  readonly description: string;
  readonly multiple?: boolean;
  /** Only for `run`. */
  readonly runOnly?: boolean;
  /** Only for `check`. */
  readonly checkOnly?: boolean;
};

/** Those that a command has. */
export function flagsOf(command: 'run' | 'check'): readonly Flag[] {
  return flags.filter(flag =>
    command === 'run' ? !flag.checkOnly : !flag.runOnly
  );
}

const flags: readonly Flag[] = [
  {
    flag: 'cell',
    value: 'ID|INDEX',
    description:
      'Refine only this target, or the target of this prompt or assertion cell. The index counts from 0. Repeatable.',
    multiple: true
  },
  {
    flag: 'prompt',
    value: 'TEXT',
    description:
      'Task of the one target, in place of its comment, docstring or the text above it. Not for a target with a %%refine cell, which has the task.',
    runOnly: true
  },
  {
    flag: 'output',
    value: 'FILE',
    description: 'Write the notebook to this file.',
    runOnly: true
  },
  {
    flag: 'in-place',
    value: '',
    description: 'Overwrite the notebook.',
    runOnly: true
  },
  {
    flag: 'profile',
    value: 'NAME',
    description:
      'Model profile of the Jupyter server. The profile demo has recorded answers.',
    runOnly: true
  },
  {
    flag: 'base-url',
    value: 'URL',
    description:
      'URL of an OpenAI-compatible server, used instead of all profiles. Same as OPENAI_BASE_URL.',
    runOnly: true
  },
  {
    flag: 'model',
    value: 'NAME',
    description:
      'Model of the profile, or of the server at --base-url. Not together with --generator-model.',
    runOnly: true
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
    description: 'Repeat each pass in a fresh kernel. Default: check once.',
    checkOnly: true
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
