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
      'Only this target, or the one that this prompt or assertion cell belongs to; the index counts from 0. May be given several times.',
    multiple: true
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
    description: 'Write the notebook over itself.',
    runOnly: true
  },
  {
    flag: 'profile',
    value: 'NAME',
    description:
      'Model profile of the Jupyter server; demo is the recorded one.',
    runOnly: true
  },
  {
    flag: 'base-url',
    value: 'URL',
    description:
      'OpenAI-compatible server to use instead of all profiles, as OPENAI_BASE_URL does.',
    runOnly: true
  },
  {
    flag: 'model',
    value: 'NAME',
    description:
      'Model of the profile, or of the server at --base-url; not together with --generator-model.',
    runOnly: true
  },
  {
    flag: 'kernel',
    value: 'NAME',
    description: 'Kernel to run in, in place of the notebook’s.'
  },
  {
    flag: 'events',
    value: 'FILE',
    description:
      'Write every event to this file as it happens, one JSON object a line.'
  },
  {
    flag: 'server',
    value: 'URL',
    description: 'Use this Jupyter server in place of one of its own.'
  },
  {
    flag: 'token',
    value: 'TOKEN',
    description: 'Token of that server; default: JUPYTER_TOKEN.'
  },
  {
    flag: 'clean',
    value: '',
    description:
      'Repeat each pass in a fresh kernel; without it a check is made once.',
    checkOnly: true
  },
  {
    flag: 'strict',
    value: '',
    description:
      'Exit with status 1 also when a check of a pass is not confirmed.'
  },
  { flag: 'json', value: '', description: 'Print the results as JSON.' },
  { flag: 'help', value: '', description: 'Print this text.' },
  { flag: 'version', value: '', description: 'Print the version.' }
];
