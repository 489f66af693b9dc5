/** `jupyter refine run` and `check`: the notebooks that are named, and the report. */
import { resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import type { RefineEvent } from '../../core/events/events';
import { stringifyEvent } from '../../core/events/journal';
import {
  cellsFromNotebook,
  CHECK_POLICY,
  certainLanguage,
  nbgraderMetadata,
  withLinkedTargets,
  withTestsOf,
  type NotebookContent
} from '../../notebook';
import type { CommandLinePorts, NotebookCommand } from '../cli/commands';
import { planLines } from './dryRun';
import { runAll, type Prepared } from './runs';
import { appendTo, distinctFiles, writeWhole } from '../files/wholeFile';
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
  const master = command.tests === null ? null : readMaster(command.tests);
  const prepared = command.notebooks.map(path =>
    prepare(command, path, master)
  );
  const { csv, dryRun, events, json, junit, strict } = command;
  const append = events && !dryRun ? appendTo('--events', events) : null;
  const onEvent = (event: RefineEvent) => append?.(stringifyEvent(event));
  const paint = painter(stdout.isTTY === true && !environment['NO_COLOR']);
  const print = (lines: readonly string[]) =>
    lines.forEach(line => stdout.write(`${line}\n`));
  const results: NotebookResult[] = [];
  try {
    await runAll(command, prepared, { ...ports, screen, onEvent }, result => {
      results.push(result);
      // What follows does not stand in the line of a wait.
      whole.status('');
      const { problem } = result;
      if (problem && problem.status !== 'interrupted') {
        progress.error(problem.message);
      }
      if (!json) {
        print(result.planned?.flatMap(planLines) ?? []);
        print(resultLines(result, paint));
      }
    });
  } finally {
    // Whole files, of what is done.
    if (csv !== null) {
      writeWhole(csv, csvText(results));
    }
    if (junit !== null && !dryRun) {
      writeWhole(junit, junitText(command.command, results));
    }
  }
  if (json) {
    const all = dryRun
      ? { targets: results.flatMap(({ planned = [] }) => planned) }
      : resultsJson(command.command, version, results, strict);
    print([JSON.stringify(all, null, 2)]);
  } else {
    print(results.flatMap(result => unkeptCodeLines(result, paint)));
  }
  return signal.aborted ? ExitStatus.interrupted : exitStatus(results, strict);
}

/** @throws RefineError for one that has no cell with a grade id: all tests would be the students'. */
function readMaster(path: string): NotebookContent {
  const { notebook } = NotebookText.read(path);
  if (!notebook.cells.some(cell => nbgraderMetadata(cell)['grade_id'])) {
    throw new RefineError(
      'input',
      `${path} has no nbgrader cells: --tests finds tests by their grade ids.`
    );
  }
  return notebook;
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
    const { tests } = command;
    if (
      tests !== null &&
      resolve(path) !== resolve(tests) &&
      distinctFiles([path, tests]).length === 1
    ) {
      // It has the solutions of the master.
      throw new RefineError('input', `${path} is a link to ${tests}.`);
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
    const output =
      file === null || command.dryRun ? null : new NotebookOutput(file, text);
    return { path, notebook, cellIds, notes, output };
  } catch (error) {
    return { path, problem: problemOf(error) };
  }
}
