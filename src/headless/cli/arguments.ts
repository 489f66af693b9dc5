/** The command line's arguments as typed commands. */
import { parseArgs } from 'node:util';
import { removedSettings, settingsSchema } from '../../core/settings';
import { camelCase, nearestName } from '../../core/text/nearest';
import {
  COMMANDS,
  type CheckCommand,
  type Command,
  type CommandName,
  type NotebookCommand,
  type RunCommand,
  UsageError
} from './commands';
import { distinctFiles } from '../files/wholeFile';
import { flagsOf, isKnownFlag } from './flags';
import { parseSetting, settingFlagsOf } from './settingsFlags';

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
    return { command: 'help', about: commandNamed(rest[0]) };
  }
  if (!isCommand(name)) {
    const names = [...COMMANDS, 'help', 'demo'];
    throw new UsageError(unknown('command', name, names));
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
    : checkCommand(given, environment);
}

function isCommand(name: string): name is CommandName {
  return COMMANDS.some(known => known === name);
}

function commandNamed(name: string | undefined): CommandName | null {
  return name !== undefined && isCommand(name) ? name : null;
}

function checkCommand(
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): CheckCommand {
  return {
    command: 'check',
    ...notebookCommand('check', given, environment),
    tests: one(given, 'tests'),
    csv: one(given, 'csv'),
    notebookTimeout: wholeNumber(given, 'notebook-timeout', 600)
  };
}

function runCommand(
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): RunCommand {
  const command: RunCommand = {
    command: 'run',
    ...notebookCommand('run', given, environment),
    output: one(given, 'output'),
    outputDir: one(given, 'output-dir'),
    inPlace: given.switches.has('in-place'),
    profile: one(given, 'profile'),
    baseUrl: one(given, 'base-url'),
    model: one(given, 'model'),
    prompt: one(given, 'prompt'),
    record: one(given, 'record'),
    replay: one(given, 'replay'),
    dryRun: given.switches.has('dry-run')
  };
  if (command.replay !== null) {
    const [other] = ['record', 'profile', 'base-url', 'model'].filter(
      flag => one(given, flag) !== null
    );
    if (other !== undefined) {
      throw new UsageError(
        `--replay answers from a file: leave out --${other}.`
      );
    }
  }
  const places = [
    command.output === null ? [] : '--output',
    command.outputDir === null ? [] : '--output-dir',
    command.inPlace ? '--in-place' : []
  ].flat();
  if (places.length > 1) {
    throw new UsageError(
      `${places.join(' and ')} cannot be combined. Give one of them.`
    );
  }
  if (command.output !== null && command.notebooks.length > 1) {
    throw new UsageError(
      `--output ${command.output} takes one notebook, but ${command.notebooks.length} were given: use --output-dir or --in-place.`
    );
  }
  if (command.prompt !== null && command.prompt.trim() === '') {
    throw new UsageError('--prompt needs a text: what the target is to do.');
  }
  if (command.prompt !== null && command.notebooks.length > 1) {
    throw new UsageError(
      `--prompt is the task of one target, but ${command.notebooks.length} notebooks were given.`
    );
  }
  if (command.profile !== null && command.baseUrl !== null) {
    throw new UsageError(
      `--profile ${command.profile} selects a configured profile, but --base-url replaces all profiles. Give one of the two.`
    );
  }
  const { generatorModel } = command.options;
  if (
    command.model !== null &&
    given.settings['generatorModel'] !== undefined
  ) {
    throw new UsageError(
      `--model ${command.model} and --generator-model ${generatorModel} both set the model that writes. Give one of the two.`
    );
  }
  if (command.baseUrl !== null && !isHttpUrl(command.baseUrl)) {
    throw new UsageError(
      `--base-url ${command.baseUrl}: it must be a URL such as http://localhost:11434/v1.`
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
      '--token needs --server. Give the URL of the server too.'
    );
  }
  return {
    notebooks: distinctFiles(given.positionals),
    cells: given.texts.get('cell') ?? [],
    kernel: one(given, 'kernel'),
    events: one(given, 'events'),
    json: given.switches.has('json'),
    junit: one(given, 'junit'),
    quiet: given.switches.has('quiet'),
    workers: wholeNumber(given, 'workers', 1),
    strict: given.switches.has('strict'),
    server:
      url === null
        ? null
        : readServer(url, token ?? environment['JUPYTER_TOKEN'] ?? null),
    options: settingsSchema.parse({
      confirmClean: name === 'run' || given.switches.has('clean'),
      ...given.settings
    })
  };
}

const MOST = 1_000_000;

/** @throws UsageError for anything but a whole number from 1. */
function wholeNumber(given: Given, flag: string, fallback: number): number {
  const text = one(given, flag);
  const value = text === null ? fallback : Number(text);
  if (!Number.isInteger(value) || value < 1 || value > MOST) {
    throw new UsageError(
      `--${flag} ${text || '""'}: it must be a whole number from 1 to ${MOST}.`
    );
  }
  return value;
}

/** Address without query and path to a page; a token may stand in the query, as Jupyter prints it. */
function readServer(
  text: string,
  token: string | null
): { readonly url: string; readonly token: string } {
  if (!isHttpUrl(text)) {
    throw new UsageError(
      `--server ${text}: it must be a URL such as http://localhost:8888/.`
    );
  }
  const url = new URL(text);
  const inQuery = url.searchParams.get('token');
  const path = url.pathname.replace(/(lab|tree|notebooks)(\/.*)?$/, '');
  return { url: `${url.origin}${path}`, token: token ?? inQuery ?? '' };
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** Flags, switches, settings and notebooks. */
type Given = {
  readonly texts: ReadonlyMap<string, readonly string[]>;
  readonly switches: ReadonlySet<string>;
  readonly settings: Readonly<Partial<Record<string, unknown>>>;
  readonly positionals: readonly string[];
};

const NO = 'no-';

/** The command that may have a flag instead. */
const OTHER = { run: 'check', check: 'run' } as const;

/** @throws UsageError for a flag that `command` does not have, or one without its value. */
function readTokens(command: CommandName, argv: readonly string[]): Given {
  const allowed = flagsOf(command);
  const ownSettings = settingFlagsOf(command);
  // `no-confirm-clean`: what is on by default can be switched off.
  const switchesOff = ownSettings
    .filter(({ type }) => type === 'boolean')
    .map(({ flag }) => NO + flag);
  const names = [
    ...[...allowed, ...ownSettings].map(({ flag }) => flag),
    ...switchesOff
  ];
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
      ...ownSettings.map(
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
      const isOff = switchesOff.includes(name);
      const setting = ownSettings.find(
        ({ flag }) => flag === (isOff ? name.slice(NO.length) : name)
      );
      const flag = allowed.find(known => known.flag === name);
      if (!setting && !flag) {
        const bare = name.startsWith(NO) ? name.slice(NO.length) : name;
        const instead = removedSettings[camelCase(bare)];
        if (instead !== undefined) {
          throw new UsageError(`${token.rawName} no longer exists. ${instead}`);
        }
        throw new UsageError(
          [name, bare].some(known => isKnownFlag(OTHER[command], known))
            ? `There is no flag ${token.rawName}: only jupyter refine ${OTHER[command]} has it.`
            : unknown(
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
      if ((isOff || (flag && !takesValue)) && token.value !== undefined) {
        throw new UsageError(
          `--${name} takes no value, and ${token.value} was given.`
        );
      }
      if (setting) {
        const value = token.value ?? 'true';
        settings[setting.name] = parseSetting(setting, isOff ? 'false' : value);
      } else if (token.value === undefined) {
        switches.add(name);
      } else if (texts.has(name) && !flag!.multiple) {
        throw new UsageError(
          `--${name} was given twice: ${texts.get(name)![0]} and ${token.value}.`
        );
      } else {
        texts.set(name, [...(texts.get(name) ?? []), token.value]);
      }
    }
  }
  return { texts, switches, settings, positionals };
}

/** The value of a flag that is given once; null without it. */
function one(given: Given, flag: string): string | null {
  return given.texts.get(flag)?.[0] ?? null;
}

/** `There is no flag --ouput. Did you mean --output?` */
function unknown(what: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `There is no ${what} ${name}.${hint}`;
}
