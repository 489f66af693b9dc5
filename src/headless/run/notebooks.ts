/** `jupyter refine run` and `check`: each notebook in turn on one server, and the report. */
import { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/options';
import { fetchProfiles } from '../../models/server';
import {
  cellsFromNotebook,
  limitByPolicy,
  certainLanguage,
  withLinkedTargets,
  type TargetPolicy
} from '../../notebook';
import type { CheckCommand, RunCommand } from '../cli/commands';
import { commonFolder } from '../server/commonFolder';
import { noEvents, openEventFile, type IEventSink } from '../report/eventFile';
import {
  givenServer,
  startOwnServer,
  type IJupyterServer
} from '../server/jupyterServer';
import { chooseModels, type ChosenModels } from '../server/modelChoice';
import { readNotebook } from './notebookFile';
import { runNotebook, type GivenNotebook } from './notebookRun';
import type { CommandLinePorts } from '../cli/ports';
import { Progress } from '../report/progress';
import {
  ExitStatus,
  exitStatus,
  problemOf,
  resultLines,
  resultsJson,
  type NotebookResult
} from '../report/results';
import { createScreen } from '../report/screen';
import { cellIdsOf, CHECK_POLICY, chooseTargets } from './targetChoice';
import { painter } from '../report/text';
import { unkeptCodeLines } from '../report/unkeptCode';
import { checkOutput, write } from './writing';

/** A notebook that was read, or why it could not be. */
type Prepared = { readonly path: string } & (
  GivenNotebook | { readonly problem: NotebookResult['problem'] }
);

/** Resolves with the exit status. */
export async function notebooksCommand(
  command: RunCommand | CheckCommand,
  ports: CommandLinePorts
): Promise<number> {
  const { stdout, stderr, environment, version, signal } = ports;
  const progress = new Progress(createScreen(stderr, environment));
  const prepared = command.notebooks.map(path => prepare(command, path));
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
    const json = resultsJson(command.command, version, results, command.strict);
    stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  } else {
    const paint = painter(stdout.isTTY === true && !environment['NO_COLOR']);
    const lines = [
      ...results.flatMap(result => resultLines(result, paint)),
      ...results.flatMap(result => unkeptCodeLines(result, paint))
    ];
    lines.forEach(line => stdout.write(`${line}\n`));
  }
  return signal.aborted
    ? ExitStatus.interrupted
    : exitStatus(results, command.strict);
}

/** Read a notebook and see that it has targets, before anything is started. */
function prepare(command: RunCommand | CheckCommand, path: string): Prepared {
  try {
    const read = readNotebook(path);
    const cellIds = cellIdsOf(path, cellsFromNotebook(read), command.cells);
    const notebook = command.command === 'run' ? withLinkedTargets(read) : read;
    // Which cells check depends on the language: the kernel's own decides where it may be another.
    const language = command.kernel === null ? certainLanguage(notebook) : null;
    if (language !== null) {
      const cells = cellsFromNotebook(notebook);
      chooseTargets(path, cells, language, cellIds, CHECK_POLICY);
    }
    checkOutput(command, path);
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
  if (command.options.approveExecution && !ports.questions.canAsk) {
    throw new RefineError(
      'input',
      '--approve-execution asks before each run, but there is no terminal to ask at.'
    );
  }
  const { options, ...offered } = await setUp(command, server, progress);
  for (const { path, ...rest } of prepared) {
    if (signal.aborted) {
      break;
    }
    if ('problem' in rest || server === null) {
      const problem = 'problem' in rest ? rest.problem : null;
      results.push({ path, targets: [], problem, written: null });
      continue;
    }
    const { notebook, ...result } = await runNotebook(
      { ...command, options },
      path,
      rest,
      { ...ports, ...offered, server }
    );
    const written = write(command, result, notebook, progress);
    results.push({ ...result, ...written });
  }
  // On one terminal the report says the first line of a problem, once.
  const isOneScreen =
    ports.stdout.isTTY === true && ports.stderr.isTTY === true;
  for (const { problem } of results) {
    if (problem && problem.status !== 'interrupted') {
      const isShown = isOneScreen && !command.json;
      const lines = problem.message.split('\n').slice(isShown ? 1 : 0);
      lines.forEach(line => progress.error(line));
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

/** What the server offers and allows for a command; a check needs neither. */
async function setUp(
  command: RunCommand | CheckCommand,
  server: IJupyterServer | null,
  progress: Progress
): Promise<{
  readonly models: ChosenModels | null;
  readonly policy: TargetPolicy;
  readonly keyVariables?: readonly string[];
  readonly options: RefineOptions;
}> {
  if (command.command === 'check' || server === null) {
    return { models: null, policy: CHECK_POLICY, options: command.options };
  }
  const profiles = await fetchProfiles(server.settings);
  const { options, notes } = limitByPolicy(command.options, profiles.policy);
  notes.forEach(({ message }) => progress.warn(message));
  return {
    models: chooseModels(server.settings, profiles, command, options),
    policy: { allowSolutionCells: profiles.policy.refineGradedCells },
    keyVariables: profiles.policy.keyVariables,
    options
  };
}
