/** `[tool.jupyterlab-refine]` of the nearest `pyproject.toml`: flags that a project gives once. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { COMMANDS, type CommandName } from './commands';
import { flagsOf, isKnownFlag } from './flags';
import { UsageError } from './commands';

const TABLE = 'jupyterlab-refine';

/**
 * What decides where code runs, where texts and keys go, or is about one command. Whoever runs
 * it gives that: a `pyproject.toml` may come with a repository of somebody else's.
 */
const NOT_FROM_A_FILE = [
  'server',
  'token',
  'base-url',
  'profile',
  'isolation',
  'allow-writes',
  'allow-network',
  'on-pass',
  'in-place',
  'prompt',
  'cell',
  'dry-run',
  'record',
  'replay',
  'help',
  'version'
];
const FILES = ['output-dir', 'csv', 'junit', 'tests', 'events'];

/** Only a file that has the table is parsed: Python knows TOML, and takes a moment to start. */
const PROGRAM = `
import json, sys
try:
    import tomllib
except ImportError:
    import tomli as tomllib
print(json.dumps(tomllib.loads(sys.stdin.read()).get("tool", {}).get("${TABLE}", {}), default=str))
`;

export type Project = {
  readonly file: string;
  readonly table: Readonly<Record<string, unknown>>;
};

/**
 * Null where no `pyproject.toml` above `folder`, or in it, has the table.
 *
 * @throws UsageError for a file that is no TOML.
 */
export function readProject(
  folder: string,
  environment: NodeJS.ProcessEnv
): Project | null {
  const file = nearest(resolve(folder));
  const text = file === null ? '' : readFileSync(file, 'utf8');
  if (file === null || !text.includes(TABLE)) {
    return null;
  }
  const python = environment['REFINE_PYTHON'] || 'python3';
  const done = spawnSync(python, ['-I', '-c', PROGRAM], {
    input: text,
    encoding: 'utf8',
    env: environment
  });
  if (done.status !== 0) {
    const last = (done.stderr ?? '').trim().split('\n').at(-1);
    const why = done.error?.message ?? last ?? '';
    throw new UsageError(`${file} cannot be read: ${why}`);
  }
  const table: unknown = JSON.parse(done.stdout);
  if (typeof table !== 'object' || table === null || Array.isArray(table)) {
    throw new UsageError(`${file}: tool.${TABLE} must be a table.`);
  }
  return { file, table: table as Readonly<Record<string, unknown>> };
}

function nearest(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    const file = join(at, 'pyproject.toml');
    if (existsSync(file)) {
      return file;
    }
    if (at === dirname(at)) {
      return null;
    }
  }
}

/**
 * The flags of one command as arguments: those of the table, then those of its own.
 *
 * @throws UsageError naming the file and the key.
 */
export function projectArguments(
  { file, table }: Project,
  command: CommandName
): readonly string[] {
  const fail = (key: string, why: string) => {
    throw new UsageError(`${file}, ${key}: ${why}`);
  };
  const own = table[command] ?? {};
  if (typeof own !== 'object' || Array.isArray(own)) {
    fail(command, 'it must be a table.');
  }
  const shared = Object.entries(table).filter(
    ([key]) => !COMMANDS.includes(key as CommandName)
  );
  const names = Object.keys(own as object);
  const all = [
    ...shared.filter(([key]) => !names.includes(key)),
    ...Object.entries(own as object).map(
      ([key, value]) => [key, value, true] as const
    )
  ];
  return all.flatMap(([key, value, isOwn]) => {
    if (NOT_FROM_A_FILE.includes(key)) {
      fail(
        key,
        'it must be given on the command line, since a file can come from somebody else.'
      );
    }
    if (!isKnownFlag(command, key)) {
      // The other command may have it.
      const isOther = COMMANDS.some(other => isKnownFlag(other, key));
      return isOther && !isOwn
        ? []
        : fail(key, `jupyter refine ${command} has no flag --${key}.`);
    }
    return argumentsOf(file, command, key, value, why => fail(key, why));
  });
}

function argumentsOf(
  file: string,
  command: CommandName,
  key: string,
  value: unknown,
  fail: (why: string) => never | void
): readonly string[] {
  if (typeof value === 'boolean') {
    const isSetting = !flagsOf(command).some(({ flag }) => flag === key);
    return value ? [`--${key}`] : isSetting ? [`--no-${key}`] : [];
  }
  const text = Array.isArray(value) ? value.join(',') : String(value);
  if (typeof value === 'object' && !Array.isArray(value)) {
    fail('it must be a string, a number, true, false or a list.');
  }
  return FILES.includes(key)
    ? [`--${key}=${relative('.', join(dirname(file), text)) || '.'}`]
    : [`--${key}=${text}`];
}
