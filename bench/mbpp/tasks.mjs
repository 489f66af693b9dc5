/** MBPP's tasks and what models answered to them, read by path: they are no part of this repository. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Where the data lies unless a flag says something else: named by the environment, or beside the checkout. */
const DATA = join(ROOT, '..', 'shared', 'data');
export const TASKS =
  process.env.REFINE_MBPP || join(DATA, 'mbpp', 'mbpp.jsonl');

/** @returns {object[]} One object a line. */
export function readLines(path) {
  if (!existsSync(path)) {
    throw new Error(`There is no ${path}: say where the data is with --tasks.`);
  }
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line));
}
