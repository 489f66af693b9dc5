/** The command line's arguments as typed commands. */
import { parseArgs } from 'node:util';
import { SETTING_GROUPS, settingsSchema } from '../../core/settings';
import { nearestName } from '../../core/text/nearest';
import {
  COMMANDS,
  flagsOf,
  kebabCase,
  type Command,
  type CommandName,
  type RunCommand,
  UsageError
} from './commands';
import { distinctFiles } from '../files/wholeFile';
import * as z from 'zod';
import type { RefineOptions } from '../../core/options';

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
    ? checkedRun(notebookCommand(name, given, environment))
    : notebookCommand(name, given, environment);
}

function isCommand(name: string): name is CommandName {
  return COMMANDS.some(known => known === name);
}

function commandNamed(name: string | undefined): CommandName | null {
  return name !== undefined && isCommand(name) ? name : null;
}

/** @throws UsageError for flags that do not go together. */
function checkedRun(command: RunCommand): RunCommand {
  if (command.replay !== null) {
    const [other] = (['record', 'profile', 'baseUrl', 'model'] as const).filter(
      flag => command[flag] !== null
    );
    if (other !== undefined) {
      throw new UsageError(
        `--replay answers from a file: leave out --${kebabCase(other)}.`
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
  if (command.model !== null && generatorModel) {
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

/** The command with what was given for its flags. */
function notebookCommand<C extends CommandName>(
  name: C,
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): Extract<Command, { readonly command: C }> {
  if (given.positionals.length === 0) {
    throw new UsageError(
      `jupyter refine ${name} needs a notebook: jupyter refine ${name} NOTEBOOK.ipynb`
    );
  }
  const token = given.texts.get('token')?.[0] ?? null;
  const url = given.texts.get('server')?.[0] ?? null;
  if (token !== null && url === null) {
    throw new UsageError(
      '--token needs --server. Give the URL of the server too.'
    );
  }
  const values = Object.fromEntries(
    flagsOf(name).map(({ key, flag, value, multiple, fallback }) => {
      const texts = given.texts.get(flag) ?? [];
      const isSwitch = value === '';
      return [
        key,
        isSwitch
          ? given.switches.has(flag)
          : multiple
            ? texts
            : fallback === undefined
              ? (texts[0] ?? null)
              : wholeNumber(flag, texts[0] ?? String(fallback))
      ];
    })
  );
  return {
    ...values,
    command: name,
    notebooks: distinctFiles(given.positionals),
    server:
      url === null
        ? null
        : readServer(url, token ?? environment['JUPYTER_TOKEN'] ?? null),
    options: settingsSchema.parse({
      confirmClean: given.switches.has('clean'),
      ...given.settings
    })
  } as unknown as Extract<Command, { readonly command: C }>;
}

const MOST = 1_000_000;

/** @throws UsageError for anything but a whole number from 1. */
function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
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
  const known: readonly (ReturnType<typeof flagsOf>[number] | SettingFlag)[] = [
    ...flagsOf(command),
    ...settingFlagsOf(command)
  ];
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    allowPositionals: true,
    options: Object.fromEntries(
      known.map(({ flag, value }) => [
        flag,
        { type: value ? 'string' : 'boolean', multiple: true }
      ])
    )
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
      const bare = name.startsWith(NO) ? name.slice(NO.length) : name;
      // `--no-allow-network`: a script may say what is the default.
      const isOff = bare !== name;
      const flag = known.find(one =>
        isOff
          ? one.flag === bare && 'name' in one && one.type === 'boolean'
          : one.flag === name
      );
      if (!flag) {
        throw unknownFlag(command, token.rawName, [name, bare], known);
      }
      const { value } = token;
      if (
        flag.value &&
        (value === undefined || (!token.inlineValue && value.startsWith('--')))
      ) {
        throw new UsageError(
          `--${name} needs a value: --${name} ${flag.value}.`
        );
      }
      if ((isOff || !('name' in flag)) && !flag.value && value !== undefined) {
        throw new UsageError(
          `--${name} takes no value, and ${value} was given.`
        );
      }
      if ('name' in flag) {
        const text = isOff ? 'false' : (value ?? 'true');
        settings[flag.name] = parseSetting(flag, text);
      } else if (value === undefined) {
        switches.add(name);
      } else if (texts.has(name) && !flag.multiple) {
        throw new UsageError(
          `--${name} was given twice: ${texts.get(name)![0]} and ${value}.`
        );
      } else {
        texts.set(name, [...(texts.get(name) ?? []), value]);
      }
    }
  }
  return { texts, switches, settings, positionals };
}

/** @param names - with and without `no-`. */
function unknownFlag(
  command: CommandName,
  rawName: string,
  names: readonly string[],
  known: readonly { readonly flag: string }[]
): UsageError {
  if (names.includes('approve-execution')) {
    return new UsageError(
      `There is no flag ${rawName}: the command line asks nothing.`
    );
  }
  const other = OTHER[command];
  const isOthers = [...flagsOf(other), ...settingFlagsOf(other)].some(
    ({ flag }) => names.includes(flag)
  );
  return new UsageError(
    isOthers
      ? `There is no flag ${rawName}: only jupyter refine ${other} has it.`
      : unknown(
          'flag',
          rawName,
          known.map(({ flag }) => `--${flag}`)
        )
  );
}

/** `There is no flag --ouput. Did you mean --output?` */
function unknown(what: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint = nearest === null ? '' : ` Did you mean ${nearest}?`;
  return `There is no ${what} ${name}.${hint}`;
}

type SettingName = keyof RefineOptions;

type SettingFlag = {
  /** `max-attempts` */
  readonly flag: string;
  readonly name: SettingName;
  /** `boolean` flags take no value. */
  readonly type: 'boolean' | 'number' | 'string';
  /** `auto|fork|live`, `NUMBER`, `TEXT`, `A,B`; empty for `boolean`. */
  readonly value: string;
  /** The names that a value, or an item of a list, can be here: no extension adds others. */
  readonly names?: readonly string[];
  readonly isList: boolean;
  readonly nullable: boolean;
  readonly description: string;
  readonly fallback: unknown;
};

type PropertySchema = {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  /** The built-in names, where other extensions can add some. */
  readonly examples?: readonly string[];
  readonly anyOf?: readonly PropertySchema[];
  readonly items?: PropertySchema;
  readonly description?: string;
  readonly default?: unknown;
};

/** What a setting means on the command line beyond its description. */
const HERE: Partial<Readonly<Record<SettingName, string>>> = {
  onPass:
    'Here nothing is asked: where JupyterLab asks, the cell is written and not run. With insert, it still runs in the command’s own kernel if a later target needs it and its attempt had no side effects.',
  confirmClean: 'A pass that fails there counts as failed.',
  keepBest: 'The exit status stays that of a session without a pass.',
  allowWrites: 'Required if file writes cannot be isolated.'
};

/** Settings of several values that are a switch here, with what it stands for. */
const SWITCHES: Partial<
  Readonly<Record<SettingName, Readonly<Record<string, string>>>>
> = { keepBest: { true: 'always', false: 'never' } };

/** Settings of a session with a model: `check` makes no attempt of a model's, and calls none. */
const RUN_ONLY: readonly SettingName[] = [
  ...SETTING_GROUPS.filter(({ heading }) => heading === 'Models').flatMap(
    group => group.names
  ),
  'maxAttempts',
  'maxTokens',
  'maxCost',
  'patience',
  'feedback',
  'onPass',
  'keepBest'
];

export const settingFlags: readonly SettingFlag[] = readFlags();

/** Those that a command has; nothing is asked here. */
export function settingFlagsOf(command: CommandName): readonly SettingFlag[] {
  return settingFlags.filter(
    ({ name }) =>
      name !== 'approveExecution' &&
      (command !== 'check' || !RUN_ONLY.includes(name))
  );
}

function readFlags(): readonly SettingFlag[] {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
  const properties = (schema.properties ?? {}) as Readonly<
    Record<SettingName, PropertySchema>
  >;
  return (Object.keys(settingsSchema.shape) as SettingName[]).map(name => {
    const property = properties[name];
    const variants = property.anyOf ?? [property];
    const types = variants.flatMap(variant => variant.type ?? []);
    const type =
      types.includes('boolean') || SWITCHES[name]
        ? 'boolean'
        : types.includes('number') || types.includes('integer')
          ? 'number'
          : 'string';
    return {
      flag: kebabCase(name),
      name,
      type,
      value:
        type === 'boolean'
          ? ''
          : ((property.enum ?? property.examples)?.join('|') ??
            (Array.isArray(property.default)
              ? 'A,B'
              : { number: 'NUMBER', string: 'TEXT' }[type])),
      names: property.enum ?? property.examples ?? property.items?.examples,
      isList: types.includes('array'),
      nullable: types.includes('null'),
      description: [property.description, HERE[name]].filter(Boolean).join(' '),
      fallback: property.default
    };
  });
}

/**
 * The value of one setting from its text.
 *
 * @throws UsageError naming the flag, the value and what would be right.
 */
function parseSetting(
  setting: SettingFlag,
  text: string
): RefineOptions[SettingName] {
  const { flag, name, names, isList, type, nullable } = setting;
  const raw =
    SWITCHES[name] !== undefined
      ? (SWITCHES[name][text] ?? text)
      : nullable && text === 'none'
        ? null
        : type === 'number' && /^-?\d+(\.\d+)?$/.test(text)
          ? Number(text)
          : type === 'boolean'
            ? text === 'true'
            : text;
  const parsed = settingsSchema.shape[name].safeParse(raw);
  const isKnown = [parsed.data]
    .flat()
    .every(value => names?.includes(String(value)) ?? true);
  if (!parsed.success || !isKnown) {
    const wanted = names
      ? `it must be ${isList ? 'one or more' : 'one'} of ${names.join(', ')}${isList ? ', with commas between' : ''}`
      : (parsed.error?.issues[0]?.message ?? '').replace(/\.$/, '');
    throw new UsageError(
      `--${flag} ${text || '""'}: ${wanted}${nullable ? ', or none' : ''}.`
    );
  }
  return parsed.data;
}
