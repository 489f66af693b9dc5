/** The command line's arguments as typed commands. */
import { parseArgs } from 'node:util';
import type { RefineOptions } from '../core/options';
import { settingsSchema } from '../core/settings';
import { nearestName } from './nearest';
import { parseSetting, settingFlags } from './settingsFlags';
import { UsageError } from './usageError';

type NotebookCommand = {
  readonly notebooks: readonly string[];
  /** Ids or positions from 0; empty: every target. */
  readonly cells: readonly string[];
  /** Name of a kernel specification; null: the notebook's. */
  readonly kernel: string | null;
  readonly events: string | null;
  readonly json: boolean;
  /** A given server; null: start one. */
  readonly server: { readonly url: string; readonly token: string } | null;
  readonly options: RefineOptions;
};

export type RunCommand = NotebookCommand & {
  readonly command: 'run';
  readonly output: string | null;
  readonly inPlace: boolean;
  readonly profile: string | null;
  readonly baseUrl: string | null;
  readonly model: string | null;
};

export type CheckCommand = NotebookCommand & { readonly command: 'check' };

export type Command =
  | RunCommand
  | CheckCommand
  | { readonly command: 'help'; readonly about: 'run' | 'check' | null }
  | { readonly command: 'version' };

export type Flag = {
  readonly flag: string;
  /** Placeholder in the help; empty for a flag without value. */
  readonly value: string;
  readonly description: string;
  readonly multiple?: boolean;
  /** Only for `run`. */
  readonly runOnly?: boolean;
};

export const flags: readonly Flag[] = [
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
    description: 'OpenAI-compatible server to use, as OPENAI_BASE_URL does.',
    runOnly: true
  },
  {
    flag: 'model',
    value: 'NAME',
    description: 'Model of the profile.',
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
  { flag: 'json', value: '', description: 'Print the results as JSON.' },
  { flag: 'help', value: '', description: 'Print this text.' },
  { flag: 'version', value: '', description: 'Print the version.' }
];

const COMMANDS = ['run', 'check', 'help'] as const;

type Given = {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly settings: Readonly<Partial<Record<string, unknown>>>;
  readonly positionals: readonly string[];
};

/** @throws UsageError naming the flag, the value and the nearest right name. */
export function parseArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>
): Command {
  const [name, ...rest] = argv;
  if (name === '--version') {
    return { command: 'version' };
  }
  if (name === undefined || name === '--help' || name === '-h') {
    return { command: 'help', about: null };
  }
  if (name === 'help') {
    const about = rest[0];
    return {
      command: 'help',
      about: about === 'run' || about === 'check' ? about : null
    };
  }
  if (name !== 'run' && name !== 'check') {
    throw new UsageError(unknown('command', name, [...COMMANDS, 'demo']));
  }
  const given = readTokens(name, rest);
  if (given.switches.has('help')) {
    return { command: 'help', about: name };
  }
  if (given.switches.has('version')) {
    return { command: 'version' };
  }
  return name === 'run'
    ? runCommand(given, environment)
    : { command: 'check', ...notebookCommand('check', given, environment) };
}

function runCommand(
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): RunCommand {
  const command: RunCommand = {
    command: 'run',
    ...notebookCommand('run', given, environment),
    output: one(given, 'output'),
    inPlace: given.switches.has('in-place'),
    profile: one(given, 'profile'),
    baseUrl: one(given, 'base-url'),
    model: one(given, 'model')
  };
  if (command.output !== null && command.inPlace) {
    throw new UsageError(
      '--output and --in-place exclude each other: give one of them.'
    );
  }
  if (command.output !== null && command.notebooks.length > 1) {
    throw new UsageError(
      `--output ${command.output} holds one notebook, and ${command.notebooks.length} were given: use --in-place, or one command each.`
    );
  }
  if (command.profile !== null && command.baseUrl !== null) {
    throw new UsageError(
      '--profile and --base-url exclude each other: give one of them.'
    );
  }
  if (command.baseUrl !== null && command.server !== null) {
    throw new UsageError(
      '--base-url needs a Jupyter server of its own, not --server: set the address up there and use --profile.'
    );
  }
  if (command.baseUrl !== null && !isHttpUrl(command.baseUrl)) {
    throw new UsageError(
      `--base-url ${command.baseUrl}: it must be an address such as http://localhost:11434/v1.`
    );
  }
  return command;
}

function notebookCommand(
  name: string,
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): NotebookCommand {
  if (given.positionals.length === 0) {
    throw new UsageError(
      `jupyter refine ${name} needs a notebook: jupyter refine ${name} NOTEBOOK.ipynb`
    );
  }
  const token = one(given, 'token');
  const url = one(given, 'server');
  if (token !== null && url === null) {
    throw new UsageError(
      '--token is for --server: give the address of the server too.'
    );
  }
  return {
    notebooks: given.positionals,
    cells: given.texts.get('cell') ?? [],
    kernel: one(given, 'kernel'),
    events: one(given, 'events'),
    json: given.switches.has('json'),
    server:
      url === null
        ? null
        : readServer(url, token ?? environment['JUPYTER_TOKEN'] ?? null),
    options: settingsSchema.parse(given.settings)
  };
}

/** Address without query and path to a page; a token may stand in the query, as Jupyter prints it. */
function readServer(
  text: string,
  token: string | null
): { readonly url: string; readonly token: string } {
  if (!isHttpUrl(text)) {
    throw new UsageError(
      `--server ${text}: it must be an address such as http://localhost:8888/.`
    );
  }
  const url = new URL(text);
  const inQuery = url.searchParams.get('token');
  const path = url.pathname.replace(/(lab|tree|notebooks)(\/.*)?$/, '');
  return { url: `${url.origin}${path}`, token: token ?? inQuery ?? '' };
}

function readTokens(command: 'run' | 'check', argv: readonly string[]): Given {
  const allowed = flags.filter(flag => command === 'run' || !flag.runOnly);
  const names = [...allowed, ...settingFlags].map(({ flag }) => flag);
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries([
      ...allowed.map(
        ({ flag, value }) =>
          [
            flag,
            { type: value ? 'string' : 'boolean', multiple: true }
          ] as const
      ),
      ...settingFlags.map(
        ({ flag, type }) =>
          [
            flag,
            { type: type === 'boolean' ? 'boolean' : 'string', multiple: true }
          ] as const
      )
    ])
  });
  const texts = new Map<string, string[]>();
  const switches = new Set<string>();
  const settings: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      positionals.push(token.value);
    } else if (token.kind === 'option') {
      const name = token.name === 'h' ? 'help' : token.name;
      const setting = settingFlags.find(({ flag }) => flag === name);
      const flag = allowed.find(known => known.flag === name);
      if (!setting && !flag) {
        throw new UsageError(
          unknown(
            'flag',
            token.rawName,
            names.map(known => `--${known}`)
          )
        );
      }
      const takesValue = flag ? flag.value !== '' : setting!.type !== 'boolean';
      if (
        takesValue &&
        (token.value === undefined ||
          (!token.inlineValue && token.value.startsWith('--')))
      ) {
        throw new UsageError(
          `--${name} needs a value: --${name} ${flag?.value ?? setting?.value}.`
        );
      }
      if (flag && token.value !== undefined) {
        if (!takesValue) {
          throw new UsageError(
            `--${name} takes no value, and ${token.value} was given.`
          );
        }
        if (texts.has(name) && !flag.multiple) {
          throw new UsageError(
            `--${name} was given twice: ${texts.get(name)![0]} and ${token.value}.`
          );
        }
        texts.set(name, [...(texts.get(name) ?? []), token.value]);
      } else if (flag) {
        switches.add(name);
      } else {
        settings[setting!.name] = parseSetting(setting!, token.value ?? 'true');
      }
    }
  }
  return { texts, switches, settings, positionals };
}

function one(given: Given, flag: string): string | null {
  return given.texts.get(flag)?.[0] ?? null;
}

function unknown(what: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `There is no ${what} ${name}.${hint}`;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
