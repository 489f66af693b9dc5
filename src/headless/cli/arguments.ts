/** The command line's arguments as typed commands. */
import { parseArgs } from 'node:util';
import * as z from 'zod';
import {
  kebabCase,
  settingsSchema,
  type RefineOptions,
  type SettingName
} from '../../core/settings';
import { nearestName } from '../../core/text/nearest';
import { distinctFiles } from '../files/wholeFile';
import {
  COMMANDS,
  flagsOf,
  flagValues,
  type Command,
  type CommandName,
  type NotebookCommand,
  UsageError
} from './commands';

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UsageError naming the flag, the value and what would be right. */
export function parseArguments(
  argv: readonly string[],
  environment: Environment
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
  return given.values['help']
    ? { command: 'help', about: command }
    : notebookCommand(command, given, environment);
}

type Given = {
  readonly values: Readonly<
    Partial<Record<string, string | boolean | readonly (string | boolean)[]>>
  >;
  readonly positionals: readonly string[];
};

/** @throws UsageError for a flag that `command` does not have, or one without its value. */
function readFlags(command: CommandName, argv: readonly string[]): Given {
  // `--no-allow-network`: a script may say what is the default.
  const off = SETTING_FLAGS.filter(({ value }) => value === '').map(
    ({ flag }) => ({ flag: `no-${flag}`, value: '' })
  );
  const known = [...flagsOf(command), ...SETTING_FLAGS, ...off].map(
    ({ flag, value, ...more }) => [
      flag,
      {
        type: value ? ('string' as const) : ('boolean' as const),
        multiple: 'multiple' in more,
        ...(flag === 'help' ? { short: 'h' } : {})
      }
    ]
  );
  try {
    return parseArgs({
      args: argv.map(text =>
        text.replace(/^--(no-)?confirm-clean$/, '--$1clean')
      ),
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

/** Of each row one at most. */
const EXCLUSIVE = [
  ['output', 'output-dir', 'in-place'],
  ['profile', 'base-url'],
  ['replay', 'record'],
  ['replay', 'profile', 'base-url'],
  ['replay', 'model'],
  ['model', 'generator-model']
];

/** @throws UsageError for values that are wrong, or do not go together. */
function notebookCommand(
  command: CommandName,
  { values, positionals }: Given,
  environment: Environment
): NotebookCommand {
  if (positionals.length === 0) {
    throw new UsageError(
      `jupyter refine ${command} needs a notebook: jupyter refine ${command} NOTEBOOK.ipynb`
    );
  }
  for (const flags of EXCLUSIVE) {
    const given = flags.filter(flag => values[flag]);
    if (given.length > 1) {
      throw new UsageError(
        `--${given.join(' and --')} cannot be combined. Give one of them.`
      );
    }
  }
  const notebooks = distinctFiles(positionals);
  const text = (flag: string) => values[flag] as string | undefined;
  if (text('output') && notebooks.length > 1) {
    throw new UsageError(
      `--output ${text('output')} takes one notebook, but ${notebooks.length} were given: use --output-dir or --in-place.`
    );
  }
  if (text('prompt') !== undefined && notebooks.length > 1) {
    throw new UsageError(
      `--prompt is the task of one target, but ${notebooks.length} notebooks were given.`
    );
  }
  if (text('prompt')?.trim() === '') {
    throw new UsageError('--prompt needs a text: what the target is to do.');
  }
  if (text('token') && !text('server')) {
    throw new UsageError(
      '--token needs --server. Give the URL of the server too.'
    );
  }
  if (text('base-url')) {
    readUrl('base-url', text('base-url')!);
  }
  const settings = SETTING_FLAGS.flatMap(({ flag, name }) =>
    values[`no-${flag}`]
      ? [[name, name === 'keepBest' ? 'never' : false]]
      : values[flag] === undefined
        ? []
        : [[name, parseSetting(name, values[flag])]]
  );
  return {
    ...flagValues(flag => values[flag]),
    command,
    notebooks,
    workers: wholeNumber('workers', text('workers') ?? '1'),
    server: text('server')
      ? readServer(
          text('server')!,
          text('token') ?? environment['JUPYTER_TOKEN']
        )
      : null,
    options: settingsSchema.parse(Object.fromEntries(settings))
  } as unknown as NotebookCommand;
}

/** @throws UsageError for anything but a whole number from 1. */
function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(
      `--${flag} ${text}: it must be a whole number from 1.`
    );
  }
  return value;
}

/** Address without query and path to a page; a token may stand in the query, as Jupyter prints it. */
function readServer(
  text: string,
  token: string | undefined
): { readonly url: string; readonly token: string } {
  const url = readUrl('server', text);
  const path = url.pathname.replace(/(lab|tree|notebooks)(\/.*)?$/, '');
  return {
    url: `${url.origin}${path}`,
    token: token ?? url.searchParams.get('token') ?? ''
  };
}

function readUrl(flag: string, text: string): URL {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    const place = flag === 'server' ? '8888/' : '8000/v1';
    throw new UsageError(
      `--${flag} ${text}: it must be a URL such as http://localhost:${place}.`
    );
  }
  return new URL(text);
}

type SettingFlag = {
  /** `max-attempts` */
  readonly flag: string;
  readonly name: SettingName;
  /** `auto|fork|live`, `NUMBER`, `TEXT`, `A,B`; empty for a switch. */
  readonly value: string;
  /** The names that a value, or an item of a list, can be here: no extension adds others. */
  readonly names: readonly string[] | undefined;
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
    'Here nothing is asked: with insert and ask, the cell is written and not run.',
  confirmClean: 'A pass that fails there counts as failed.',
  keepBest: 'The exit status stays that of a session without a pass.',
  allowWrites: 'Required if file writes cannot be isolated.'
};

export const SETTING_FLAGS: readonly SettingFlag[] = readSchema();

function readSchema(): readonly SettingFlag[] {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input' });
  const properties = Object.entries(schema.properties ?? {}) as [
    SettingName,
    PropertySchema
  ][];
  return (
    properties
      // Nobody is asked here.
      .filter(([name]) => name !== 'approveExecution')
      .map(([name, property]) => ({
        flag: name === 'confirmClean' ? 'clean' : kebabCase(name),
        name,
        value: placeholder(name, property),
        names: property.enum ?? property.examples ?? property.items?.examples,
        description: [property.description, HERE[name]]
          .filter(Boolean)
          .join(' '),
        fallback: property.default
      }))
  );
}

function placeholder(name: SettingName, property: PropertySchema): string {
  const types = [property, ...(property.anyOf ?? [])].flatMap(
    ({ type }) => type ?? []
  );
  if (name === 'keepBest' || types.includes('boolean')) {
    return '';
  }
  const names = property.enum ?? property.examples;
  return (
    names?.join('|') ??
    (types.includes('array')
      ? 'A,B'
      : types.some(type => type === 'number' || type === 'integer')
        ? 'NUMBER'
        : 'TEXT')
  );
}

/**
 * The value of one setting: a switch is on; `none` is null, and what reads as a number is one, where the setting may be.
 *
 * @throws UsageError naming the flag, the value and what would be right.
 */
function parseSetting(
  name: SettingName,
  given: unknown
): RefineOptions[SettingName] {
  if (given === true) {
    return name === 'keepBest' ? 'always' : true;
  }
  const text = String(given);
  const schema = settingsSchema.shape[name];
  const parsed = [
    ...(text === 'none' ? [null] : []),
    text,
    ...(text.trim() === '' || Number.isNaN(Number(text)) ? [] : [Number(text)])
  ].map(value => schema.safeParse(value));
  const read = parsed.find(({ success }) => success);
  const { flag, names } = SETTING_FLAGS.find(known => known.name === name)!;
  const isKnown = [read?.data]
    .flat()
    .every(item => names?.includes(String(item)) ?? true);
  if (!read || !isKnown) {
    const why = parsed.at(-1)!.error?.issues[0]?.message.replace(/\.$/, '');
    const wanted = names ? `it must be among ${names.join(', ')}` : why;
    const none = schema.safeParse(null).success ? ', or none' : '';
    throw new UsageError(`--${flag} ${text || '""'}: ${wanted}${none}.`);
  }
  return read.data as RefineOptions[SettingName];
}
