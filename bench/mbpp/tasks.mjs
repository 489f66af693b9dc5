/** MBPP's tasks and what models answered to them, read by path: they are no part of this repository. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Where the data lies unless a flag says something else: named by the environment, or beside the checkout. */
const DATA = join(ROOT, '..', 'shared', 'data');
export const TASKS =
  process.env.REFINE_MBPP || join(DATA, 'mbpp', 'mbpp.jsonl');
export const RECORDED = process.env.REFINE_RECORDED || join(DATA, 'recorded');

/** @returns {object[]} One object a line. */
export function readLines(path) {
  if (!existsSync(path)) {
    throw new Error(
      `There is no ${path}: say where the data is with --tasks and --recorded.`
    );
  }
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line));
}

/** @returns {Map<number, object>} MBPP's tasks by their number. */
export function readTasks(path) {
  return new Map(
    readLines(path).map(task => [
      task.task_id,
      { ...task, code: task.code.replace(/\r\n?/g, '\n') }
    ])
  );
}

/** The checks that decide whether a task is solved: MBPP's own. */
export function ownChecks(task) {
  return [task.test_setup_code, ...task.test_list]
    .filter(text => text.trim() !== '')
    .join('\n');
}
