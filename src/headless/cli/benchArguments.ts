/** The arguments of `bench` as a command. */
import type { RefineOptions } from '../../core/options';
import { settingsSchema } from '../../core/settings';
import { isHttpUrl, readServer, wholeNumber } from './argumentValues';
import { one, unknown, type Given } from './argumentTokens';
import type { BenchCommand } from './commands';
import { parseSetting, settingFlags } from './settingsFlags';
import { UsageError } from './usageError';

/** Flags that say where answers come from; the others of `MODEL` go together. */
const RECORDINGS = ['recorded', 'references'] as const;
const MODEL = ['profile', 'base-url', 'model', 'server'] as const;

/** @throws UsageError naming the flag, the value and what would be right. */
export function benchCommand(
  given: Given,
  environment: Readonly<Record<string, string | undefined>>
): BenchCommand {
  const compare = given.switches.has('compare');
  requireFiles(given.positionals, compare);
  const url = one(given, 'server');
  const token = one(given, 'token');
  const options = settingsSchema.parse({
    confirmClean: false,
    ...given.settings
  });
  requireUnattended(options);
  requireOneSource(given, compare);
  return {
    command: 'bench',
    files: given.positionals,
    compare,
    recorded: one(given, 'recorded'),
    references: given.switches.has('references'),
    sweep: readSweep(one(given, 'sweep'), options),
    outputDir: one(given, 'output-dir'),
    resume: one(given, 'resume'),
    kernel: one(given, 'kernel'),
    events: one(given, 'events'),
    json: given.switches.has('json'),
    quiet: given.switches.has('quiet'),
    workers: wholeNumber(given, 'workers', 1),
    server:
      url === null
        ? null
        : readServer(url, token ?? environment['JUPYTER_TOKEN'] ?? null),
    profile: one(given, 'profile'),
    baseUrl: one(given, 'base-url'),
    model: one(given, 'model'),
    options
  };
}

function requireFiles(files: readonly string[], compare: boolean): void {
  if (compare && files.length !== 2) {
    throw new UsageError(
      `--compare takes two reports, and ${files.length} were given: jupyter refine bench --compare A.json B.json`
    );
  }
  if (!compare && files.length !== 1) {
    throw new UsageError(
      files.length === 0
        ? 'jupyter refine bench needs a file of tasks: jupyter refine bench TASKS.jsonl'
        : `jupyter refine bench takes one file of tasks, and ${files.length} were given: ${files.join(', ')}.`
    );
  }
}

function requireOneSource(given: Given, compare: boolean): void {
  const isGiven = (flag: string) =>
    given.switches.has(flag) || given.texts.has(flag);
  const recordings = RECORDINGS.filter(isGiven);
  const models = MODEL.filter(isGiven);
  if (compare) {
    const [other] = [...recordings, ...models, 'sweep', 'resume'].filter(
      isGiven
    );
    if (other !== undefined) {
      throw new UsageError(`--compare runs nothing: leave out --${other}.`);
    }
  }
  const [first, second] = [...recordings, ...models];
  if (recordings.length > 0 && second !== undefined) {
    throw new UsageError(`--${first} calls no model: leave out --${second}.`);
  }
  if (one(given, 'token') !== null && !isGiven('server')) {
    throw new UsageError(
      '--token needs --server. Give the URL of the server too.'
    );
  }
  const baseUrl = one(given, 'base-url');
  const other = models.find(flag => flag === 'profile' || flag === 'server');
  if (baseUrl !== null && other !== undefined) {
    throw new UsageError(
      `--base-url replaces all profiles: leave out --${other}.`
    );
  }
  if (baseUrl !== null && !isHttpUrl(baseUrl)) {
    throw new UsageError(
      `--base-url ${baseUrl}: it must be a URL such as http://localhost:11434/v1.`
    );
  }
  const { generatorModel } = given.settings;
  if (isGiven('model') && generatorModel !== undefined) {
    throw new UsageError(
      `--model ${one(given, 'model')} and --generator-model ${generatorModel} both set the model that writes. Give one of the two.`
    );
  }
}

/** Nobody is asked, and nothing but forks keeps one task from another. */
function requireUnattended(options: RefineOptions): void {
  const asking = (
    [
      ['approve-execution', options.approveExecution],
      ['evaluators human', options.evaluators.includes('human')]
    ] as const
  ).find(([, isOn]) => isOn);
  if (asking) {
    throw new UsageError(`--${asking[0]}: bench asks nothing. Leave it out.`);
  }
  const { isolation } = options;
  if (isolation !== 'auto' && isolation !== 'fork') {
    throw new UsageError(
      `--isolation ${isolation}: bench runs each attempt in a fork, so that no task can see another. Leave it out.`
    );
  }
}

/** `feedback=raw,diff` */
function readSweep(
  text: string | null,
  options: RefineOptions
): BenchCommand['sweep'] {
  if (text === null) {
    return null;
  }
  const [name = '', ...rest] = text.split('=');
  const setting = settingFlags.find(({ flag }) => flag === name);
  if (!setting) {
    const names = settingFlags.map(({ flag }) => flag);
    throw new UsageError(`--sweep ${text}: ${unknown('setting', name, names)}`);
  }
  const values = [...new Set(rest.join('=').split(','))];
  if (values.length < 2) {
    throw new UsageError(
      `--sweep ${text}: it needs two values at least, such as --sweep feedback=raw,diff.`
    );
  }
  return {
    flag: name,
    values: values.map(value => {
      if (setting.type === 'boolean' && !/^(true|false)$/.test(value)) {
        throw new UsageError(`--sweep ${text}: ${name} is true or false.`);
      }
      const swept = settingsSchema.parse({
        ...options,
        [setting.name]: parseSetting(setting, value)
      });
      requireUnattended(swept);
      return { label: `${name}=${value}`, options: swept };
    })
  };
}
