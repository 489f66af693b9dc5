/** The command line's arguments as typed commands. */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import {
  SETTING_GROUPS,
  settingsSchema,
  type RefineOptions
} from '../../core/settings';
import { nearestName } from '../../core/text/nearest';
import { distinctFiles } from '../files/wholeFile';
import {
  COMMANDS,
  flagsOf,
  kebabCase,
  type Command,
  type CommandName,
  type RunCommand,
  UsageError
} from './commands';

/** @throws UsageError naming the flag, the value and the nearest right name. */
export function parseArguments(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>
): Command {
  const [name = 'help', ...rest] = argv;
  const named = (text: string | undefined) =>
    COMMANDS.find(known => known === text) ?? null;
  if (['help', '--help', '-h'].includes(name)) {
    return { command: 'help', about: named(rest[0]) };
  }
  if (name === '--version') {
    return { command: 'version' };
  }
  const command = named(name);
  if (command === null) {
    throw new UsageError(
      `There is no command ${name}; there are ${COMMANDS.join(', ')}, demo and help.`
    );
  }
  const given = readFlags(command, rest);
  if (given.values['help']) {
    return { command: 'help', about: command };
  }
  if (given.values['version']) {
    return { command: 'version' };
  }
  const parsed = notebookCommand(command, given, environment);
  if (parsed.command === 'run') {
    checkRun(parsed);
  }
  return parsed;
}

/** Of each row one at most. */
const EXCLUSIVE = [
  ['output', 'outputDir', 'inPlace'],
  ['profile', 'baseUrl'],
  ['replay', 'record'],
  ['replay', 'profile', 'baseUrl'],
  ['replay', 'model']
] as const;

/** @throws UsageError for flags that do not go together. */
function checkRun(command: RunCommand): void {
  for (const flags of EXCLUSIVE) {
    const given = flags.filter(flag => command[flag]);
    if (given.length > 1) {
      const names = given.map(flag => `--${kebabCase(flag)}`);
      throw new UsageError(
        `${names.join(' and ')} cannot be combined. Give one of them.`
      );
    }
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
}

type Given = {
  readonly values: Readonly<
    Partial<Record<string, string | boolean | readonly (string | boolean)[]>>
  >;
  readonly positionals: readonly string[];
};

/** @throws UsageError for a flag that `command` does not have, or one without its value. */
function readFlags(command: CommandName, argv: readonly string[]): Given {
  const switches = settingFlagsOf(command).filter(flag => flag.value === '');
  const known = [
    ...flagsOf(command),
    ...settingFlagsOf(command),
    // `--no-allow-network`: a script may say what is the default.
    ...switches.map(({ flag }) => ({ flag: `no-${flag}`, value: '' }))
  ].map(({ flag, value, ...more }) => [
    flag,
    {
      type: value ? ('string' as const) : ('boolean' as const),
      multiple: 'multiple' in more,
      ...(flag === 'help' ? { short: 'h' } : {})
    }
  ]);
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: Object.fromEntries(known)
    });
  } catch (cause) {
    const { message, code } = cause as NodeJS.ErrnoException;
    const [, flag] = /^Unknown option '(.+?)'/.exec(message) ?? [];
    if (code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION' || flag === undefined) {
      throw new UsageError(message);
    }
    const flags = known.map(([name]) => `--${name}`);
    const nearest = nearestName(flag, flags);
    const meant = nearest === null ? '' : ` Did you mean ${nearest}?`;
    throw new UsageError(
      `jupyter refine ${command} has no flag ${flag}.${meant}`
    );
  }
}

/** The command with what was given for its flags. */
function notebookCommand(
  name: CommandName,
  { values, positionals }: Given,
  environment: Readonly<Record<string, string | undefined>>
) {
  if (positionals.length === 0) {
    throw new UsageError(
      `jupyter refine ${name} needs a notebook: jupyter refine ${name} NOTEBOOK.ipynb`
    );
  }
  const own = Object.fromEntries(
    flagsOf(name).map(({ key, flag, value, multiple, fallback }) => {
      const given = values[flag];
      if (value === '') {
        return [key, given === true];
      }
      return fallback === undefined
        ? [key, given ?? (multiple ? [] : null)]
        : [key, wholeNumber(flag, String(given ?? fallback))];
    })
  );
  const settings = settingFlagsOf(name).flatMap(setting => {
    const { flag, on, off } = setting;
    const text = values[flag];
    return values[`no-${flag}`]
      ? [[setting.name, off]]
      : text === undefined
        ? []
        : [
            [
              setting.name,
              text === true ? on : parseSetting(setting, `${text}`)
            ]
          ];
  });
  const { token, server } = own as Record<string, string | null>;
  if (token && !server) {
    throw new UsageError(
      '--token needs --server. Give the URL of the server too.'
    );
  }
  return {
    ...own,
    command: name,
    notebooks: distinctFiles(positionals),
    server: server
      ? readServer(server, token ?? environment['JUPYTER_TOKEN'] ?? null)
      : null,
    options: settingsSchema.parse({
      confirmClean: values['clean'] === true,
      ...Object.fromEntries(settings)
    })
  } as unknown as Exclude<Command, { command: 'help' | 'version' }>;
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

type SettingName = keyof RefineOptions;

type SettingFlag = {
  /** `max-attempts` */
  readonly flag: string;
  readonly name: SettingName;
  /** `auto|fork|live`, `NUMBER`, `TEXT`, `A,B`; empty for a switch. */
  readonly value: string;
  /** The names that a value, or an item of a list, can be here: no extension adds others. */
  readonly names?: readonly string[];
  readonly isList: boolean;
  readonly isNumber: boolean;
  readonly nullable: boolean;
  /** What a switch, and its `--no-…`, stand for. */
  readonly on: unknown;
  readonly off: unknown;
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
  confirmClean: 'A pass that fails there counts as failed.',
  keepBest: 'The exit status stays that of a session without a pass.',
  allowWrites: 'Required if file writes cannot be isolated.'
};

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
  'keepBest'
];

const settingFlags: readonly SettingFlag[] = readSchema();

/** What JupyterLab asks: here a pass in doubt is written, and not run. */
const ASKED: readonly SettingName[] = ['approveExecution', 'onPass'];

/** Those that a command has. */
export function settingFlagsOf(command: CommandName): readonly SettingFlag[] {
  return settingFlags.filter(
    ({ name }) =>
      !ASKED.includes(name) &&
      (command !== 'check' || !RUN_ONLY.includes(name))
  );
}

function readSchema(): readonly SettingFlag[] {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
  const properties = (schema.properties ?? {}) as Readonly<
    Record<SettingName, PropertySchema>
  >;
  return (Object.keys(settingsSchema.shape) as SettingName[]).map(name => {
    const property = properties[name];
    const variants = property.anyOf ?? [property];
    const types = variants.flatMap(variant => variant.type ?? []);
    const isList = types.includes('array');
    const isNumber = types.includes('number') || types.includes('integer');
    const isKept = name === 'keepBest';
    const names = property.enum ?? property.examples;
    return {
      flag: kebabCase(name),
      name,
      value:
        isKept || types.includes('boolean')
          ? ''
          : (names?.join('|') ??
            (isList ? 'A,B' : isNumber ? 'NUMBER' : 'TEXT')),
      names: names ?? property.items?.examples,
      isList,
      isNumber,
      nullable: types.includes('null'),
      on: isKept ? 'always' : true,
      off: isKept ? 'never' : false,
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
  { flag, name, names, isList, isNumber, nullable }: SettingFlag,
  text: string
): RefineOptions[SettingName] {
  const number = isNumber && text.trim() !== '' ? Number(text) : NaN;
  const value = Number.isNaN(number) ? text : number;
  const raw = nullable && text === 'none' ? null : value;
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
