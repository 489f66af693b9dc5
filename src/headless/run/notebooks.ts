/** `jupyter refine run` and `check`: each notebook in turn on one server, and the report. */
import { resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import type { RefineEvent } from '../../core/events/events';
import { stringifyEvent } from '../../core/events/journal';
import {
  cellsFromNotebook,
  CHECK_POLICY,
  certainLanguage,
  withLinkedTargets,
  withTestsOf,
  type NotebookContent
} from '../../notebook';
import type { CommandLinePorts, NotebookCommand } from '../cli/commands';
import { planLines, plannedTargets, type PlannedTarget } from './dryRun';
import { runAll, offerOf, type Prepared } from './runs';
import { appendTo, distinctFiles, writeWhole } from '../files/wholeFile';
import { LazyServer } from '../server/jupyterServer';
import { Progress } from '../report/progress';
import {
  ExitStatus,
  exitStatus,
  problemOf,
  resultLines,
  resultsJson,
  unkeptCodeLines,
  type NotebookResult
} from '../report/results';
import { csvText, junitText } from '../report/tables';
import { createScreen, heldScreen, painter } from '../report/screen';
import { cellIdsOf, chooseTargets } from './target/targetChoice';
import {
  NotebookOutput,
  NotebookText,
  outputFileOf
} from '../files/notebookFile';

/** Resolves with the exit status. */
export async function notebooksCommand(
  command: NotebookCommand,
  ports: CommandLinePorts
): Promise<number> {
  const { stdout, stderr, environment, version, signal } = ports;
  const whole = createScreen(stderr, environment);
  const progress = new Progress(whole);
  // What is never released is not shown.
  const screen = command.quiet ? heldScreen(whole) : whole;
  const master =
    command.tests === null ? null : NotebookText.read(command.tests).notebook;
  const prepared = command.notebooks.map(path =>
    prepare(command, path, master)
  );
  if (command.dryRun) {
    return dryRun(command, prepared, ports);
  }
  const append =
    command.events === null ? null : appendTo('--events', command.events);
  const onEvent = (event: RefineEvent) => append?.(stringifyEvent(event));
  const paint = painter(stdout.isTTY === true && !environment['NO_COLOR']);
  const print = (lines: readonly string[]) =>
    lines.forEach(line => stdout.write(`${line}\n`));
  const results: NotebookResult[] = [];
  try {
    await runAll(command, prepared, { ...ports, screen, onEvent }, result => {
      results.push(result);
      reportProblem(result, command, ports, progress);
      if (!command.json) {
        print(resultLines(result, paint));
      }
    });
  } finally {
    writeTables(command, results);
  }
  if (command.json) {
    const json = resultsJson(command.command, version, results, command.strict);
    stdout.write(`${JSON.stringify(json, null, 2)}\n`);
  } else {
    print(results.flatMap(result => unkeptCodeLines(result, paint)));
  }
  return signal.aborted
    ? ExitStatus.interrupted
    : exitStatus(results, command.strict);
}

/** Prints what a run would send; resolves with the exit status. */
async function dryRun(
  command: NotebookCommand,
  prepared: readonly Prepared[],
  ports: CommandLinePorts
): Promise<number> {
  const { stdout, stderr, environment } = ports;
  const progress = new Progress(createScreen(stderr, environment));
  const results: NotebookResult[] = [];
  const server = new LazyServer(command, ports, progress);
  const targets: PlannedTarget[] = [];
  try {
    // No model is looked up for nothing.
    const offer = prepared.every(one => 'problem' in one)
      ? null
      : await offerOf(command, server, progress);
    for (const one of prepared) {
      let problem = 'problem' in one ? one.problem : null;
      try {
        targets.push(
          ...(offer === null ? [] : plannedTargets(command, one, offer))
        );
      } catch (error) {
        problem = problemOf(error);
      }
      results.push({ path: one.path, targets: [], problem, written: null });
    }
  } finally {
    await server.stop();
  }
  results.forEach(({ problem }) => problem && progress.error(problem.message));
  const lines = command.json
    ? [JSON.stringify({ targets }, null, 2)]
    : planLines(targets);
  lines.forEach(line => stdout.write(`${line}\n`));
  return exitStatus(results, false);
}

/** On one terminal the report says the first line of a problem, once. */
function reportProblem(
  { problem }: NotebookResult,
  command: NotebookCommand,
  { stdout, stderr }: CommandLinePorts,
  progress: Progress
): void {
  if (problem && problem.status !== 'interrupted') {
    const isOneScreen = stdout.isTTY === true && stderr.isTTY === true;
    const isShown = isOneScreen && !command.json;
    const lines = problem.message.split('\n').slice(isShown ? 1 : 0);
    lines.forEach(line => progress.error(line));
  }
}

/** A link to the master has its solutions. */
function checkOwnFile(path: string, tests: string): void {
  const isLink =
    resolve(path) !== resolve(tests) &&
    distinctFiles([path, tests]).length === 1;
  if (isLink) {
    throw new RefineError('input', `${path} is a link to ${tests}.`);
  }
}

/** Read a notebook and see that it has targets, before anything is started. */
function prepare(
  command: NotebookCommand,
  path: string,
  master: NotebookContent | null
): Prepared {
  try {
    const text = NotebookText.read(path);
    const given = text.notebook;
    if (command.tests !== null) {
      checkOwnFile(path, command.tests);
    }
    const { notebook: read, notes } = master
      ? withTestsOf(master, given)
      : { notebook: given, notes: undefined };
    const cellIds = cellIdsOf(path, cellsFromNotebook(read), command.cell);
    const notebook = command.command === 'run' ? withLinkedTargets(read) : read;
    // Which cells check depends on the language: the kernel's own decides where it may be another.
    const language = command.kernel === null ? certainLanguage(notebook) : null;
    if (language !== null) {
      const cells = cellsFromNotebook(notebook);
      chooseTargets(path, cells, language, cellIds, CHECK_POLICY);
    }
    const file = outputFileOf(command, path);
    const output = file === null ? null : new NotebookOutput(file, text);
    return { path, notebook, cellIds, notes, output };
  } catch (error) {
    return { path, problem: problemOf(error) };
  }
}

/** The files of `--csv` and `--junit`, whole, of what is done. */
function writeTables(
  command: NotebookCommand,
  results: readonly NotebookResult[]
): void {
  if (command.csv !== null) {
    writeWhole(command.csv, csvText(results));
  }
  if (command.junit !== null) {
    writeWhole(command.junit, junitText(command.command, results));
  }
}
