/** The command line's arguments as typed commands. */
import { settingsSchema } from '../../core/settings';
import { one, readTokens, unknown, type Given } from './argumentTokens';
import type { Command, NotebookCommand, RunCommand } from './commands';
import { distinctFiles } from '../run/notebookFile';
import { UsageError } from './usageError';

const COMMANDS = ['run', 'check', 'help'] as const;

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
    model: one(given, 'model'),
    prompt: one(given, 'prompt')
  };
  if (command.output !== null && command.inPlace) {
    throw new UsageError(
      '--output and --in-place cannot be combined. Give one of them.'
    );
  }
  if (command.output !== null && command.notebooks.length > 1) {
    throw new UsageError(
      `--output ${command.output} takes one notebook, but ${command.notebooks.length} were given: use --in-place, or one command each.`
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
  if (command.baseUrl !== null && command.server !== null) {
    throw new UsageError(
      '--base-url cannot be used with --server. Set the URL up in a profile of that server and use --profile.'
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
