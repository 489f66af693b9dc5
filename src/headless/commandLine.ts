/** `jupyter refine run` and `check`: from arguments to an exit status. */
import { existsSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { ServerConnection } from '@jupyterlab/services';
import { RefineError } from '../core/errors';
import type { ILanguageModel } from '../core/model';
import { fetchProfiles } from '../models/server';
import {
  cellsFromNotebook,
  notebookLanguage,
  withLinkedTargets,
  type NotebookContent,
  type TargetPolicy
} from '../notebook';
import {
  parseArguments,
  type CheckCommand,
  type RunCommand
} from './arguments';
import { noEvents, openEventFile, type IEventSink } from './eventFile';
import { helpText } from './helpText';
import {
  givenServer,
  startOwnServer,
  type IJupyterServer
} from './jupyterServer';
import { chooseModel } from './modelChoice';
import { readNotebook, writeNotebook } from './notebookFile';
import { runNotebook } from './notebookRun';
import { Progress } from './progress';
import type { IQuestions } from './questions';
import {
  ExitStatus,
  resultLines,
  resultsJson,
  statusOfError,
  worstStatus,
  type NotebookResult
} from './results';
import { createScreen, type ScreenStream } from './screen';
import { cellIdsOf, CHECK_POLICY, chooseTargets } from './targetChoice';
import { painter } from './text';
import { UsageError } from './usageError';

/** What the command line is given by its process. */
export type CommandLinePorts = {
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  readonly environment: NodeJS.ProcessEnv;
  readonly questions: IQuestions;
  readonly version: string;
  /** Aborted by an interruption. */
  readonly signal: AbortSignal;
};

/** Run one command; resolves with the exit status and leaves no server and no kernel behind. */
export async function commandLine(
  argv: readonly string[],
  ports: CommandLinePorts
): Promise<number> {
  const { stdout, stderr, environment, version } = ports;
  try {
    const command = parseArguments(argv, environment);
    switch (command.command) {
      case 'help':
        stdout.write(helpText(command.about));
        return ExitStatus.passed;
      case 'version':
        stdout.write(`${version}\n`);
        return ExitStatus.passed;
      case 'run':
      case 'check':
        return await notebooksCommand(command, ports);
    }
  } catch (error) {
    if (ports.signal.aborted) {
      stderr.write('jupyter refine: stopped\n');
      return ExitStatus.interrupted;
    }
    const message = error instanceof Error ? error.message : String(error);
    stderr.write(`jupyter refine: ${message}\n`);
    if (error instanceof UsageError) {
      stderr.write('jupyter refine help lists the commands and their flags.\n');
      return ExitStatus.input;
    }
    return ExitStatus[statusOfError(error)];
  }
}

type Prepared =
  | {
      readonly path: string;
      readonly notebook: NotebookContent;
      /** Ids of the cells that `--cell` named. */
      readonly cellIds: readonly string[];
    }
  | { readonly path: string; readonly problem: NotebookResult['problem'] };

async function notebooksCommand(
  command: RunCommand | CheckCommand,
  ports: CommandLinePorts
): Promise<number> {
  const { stdout, stderr, environment, version, signal } = ports;
  const progress = new Progress(createScreen(stderr, environment));
  const prepared = command.notebooks.map(path => prepare(command, path));
  checkOutput(command);
  const events =
    command.events === null ? noEvents : openEventFile(command.events);
  let results: readonly NotebookResult[];
  try {
    results = await withServer(command, prepared, ports, progress, server =>
      runAll(command, prepared, server, { ...ports, progress, events })
    );
  } finally {
    events.close();
  }
  if (command.json) {
    const json = resultsJson(command.command, version, results);
    stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  } else {
    const paint = painter(stdout.isTTY === true && !environment['NO_COLOR']);
    for (const line of results.flatMap(result => resultLines(result, paint))) {
      stdout.write(`${line}\n`);
    }
  }
  return signal.aborted
    ? ExitStatus.interrupted
    : ExitStatus[worstStatus(results)];
}

/** Read a notebook and see that it has targets, before anything is started. */
function prepare(command: RunCommand | CheckCommand, path: string): Prepared {
  try {
    const read = readNotebook(path);
    const cellIds = cellIdsOf(path, cellsFromNotebook(read), command.cells);
    const notebook = command.command === 'run' ? withLinkedTargets(read) : read;
    chooseTargets(
      path,
      cellsFromNotebook(notebook),
      notebookLanguage(notebook),
      cellIds,
      CHECK_POLICY
    );
    return { path, notebook, cellIds };
  } catch (error) {
    return { path, problem: problemOf(error) };
  }
}

async function runAll(
  command: RunCommand | CheckCommand,
  prepared: readonly Prepared[],
  server: IJupyterServer | null,
  ports: CommandLinePorts & {
    readonly progress: Progress;
    readonly events: IEventSink;
  }
): Promise<readonly NotebookResult[]> {
  const { progress, signal } = ports;
  const results: NotebookResult[] = [];
  const model =
    server === null ? null : await modelOf(command, server.settings);
  const policy =
    server === null || command.command === 'check'
      ? CHECK_POLICY
      : await editPolicy(server.settings);
  for (const { path, ...rest } of prepared) {
    if (signal.aborted) {
      break;
    }
    if ('problem' in rest || server === null) {
      const problem = 'problem' in rest ? rest.problem : null;
      results.push({ path, targets: [], problem, written: null });
      continue;
    }
    const { notebook, ...result } = await runNotebook(command, path, rest, {
      ...ports,
      server,
      model,
      policy
    });
    const written = write(command, result, notebook, progress);
    results.push({ ...result, ...written });
  }
  for (const { problem } of results) {
    if (problem && problem.status !== 'interrupted') {
      progress.error(problem.message);
    }
  }
  return results;
}

/** Start or reach the server, and stop one of our own whatever happens; none is started for nothing. */
async function withServer<T>(
  command: RunCommand | CheckCommand,
  prepared: readonly Prepared[],
  { environment, signal }: CommandLinePorts,
  progress: Progress,
  use: (server: IJupyterServer | null) => Promise<T>
): Promise<T> {
  if (prepared.every(one => 'problem' in one)) {
    return use(null);
  }
  if (command.server !== null) {
    return use(givenServer(command.server.url, command.server.token));
  }
  progress.status('starting the Jupyter server');
  const server = await startOwnServer(
    {
      root: commonFolder(command.notebooks),
      baseUrl: command.command === 'run' ? command.baseUrl : null,
      environment
    },
    signal
  );
  try {
    return await use(server);
  } finally {
    progress.status('stopping the Jupyter server');
    await server.stop();
    progress.status('');
  }
}

async function modelOf(
  command: RunCommand | CheckCommand,
  settings: ServerConnection.ISettings
): Promise<ILanguageModel | null> {
  return command.command === 'check'
    ? null
    : chooseModel(settings, {
        profile: command.profile,
        model: command.model,
        generatorModel: command.options.generatorModel
      });
}

async function editPolicy(
  settings: ServerConnection.ISettings
): Promise<TargetPolicy> {
  const { policy } = await fetchProfiles(settings);
  return { allowSolutionCells: policy['refine_graded_cells'] === true };
}

/** Writes the notebook when a target passed and somewhere to write to was named. */
function write(
  command: RunCommand | CheckCommand,
  result: Omit<NotebookResult, 'written'>,
  notebook: NotebookContent,
  progress: Progress
): Pick<NotebookResult, 'written' | 'problem'> {
  const { path, targets, problem } = result;
  const nothing = { written: null, problem };
  const passed = targets.some(target => target.status === 'passed');
  if (command.command === 'check' || !passed) {
    return nothing;
  }
  const file = command.inPlace ? path : command.output;
  if (file === null) {
    const changed = targets.some(({ accepted }) => accepted !== 'unchanged');
    if (changed) {
      progress.note(
        `${path}: nothing was written. Give --output FILE or --in-place to keep the result.`
      );
    }
    return nothing;
  }
  try {
    writeNotebook(file, notebook);
  } catch (error) {
    return { written: null, problem: problem ?? problemOf(error) };
  }
  progress.note(`Wrote ${file}`);
  return { written: file, problem };
}

/** @throws RefineError kind `input`, before anything is spent on a result that cannot be kept. */
function checkOutput(command: RunCommand | CheckCommand): void {
  if (command.command === 'run' && command.output !== null) {
    const folder = dirname(resolve(command.output));
    if (!existsSync(folder)) {
      throw new RefineError(
        'input',
        `--output ${command.output}: there is no folder ${folder}.`
      );
    }
  }
}

function problemOf(error: unknown): NonNullable<NotebookResult['problem']> {
  return {
    status: statusOfError(error),
    message: error instanceof Error ? error.message : String(error)
  };
}

/** The deepest folder that holds all notebooks. */
function commonFolder(paths: readonly string[]): string {
  const [first, ...others] = paths.map(path => dirname(resolve(path)));
  let folder = first;
  for (const other of others) {
    while (!`${other}${sep}`.startsWith(withSeparator(folder))) {
      const parent = dirname(folder);
      if (parent === folder) {
        throw new RefineError(
          'input',
          `The notebooks ${paths.join(', ')} have no folder in common: refine them with one command each.`
        );
      }
      folder = parent;
    }
  }
  return folder;
}

function withSeparator(folder: string): string {
  return folder.endsWith(sep) ? folder : `${folder}${sep}`;
}
