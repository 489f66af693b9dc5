/** The file of `--resume`: finished notebooks of an earlier command, one JSON object a line. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { RefineError } from '../../core/errors';
import type { NotebookResult } from '../report/results';
import { fileProblem } from './fileProblem';

type Line = { readonly key: string; readonly result: NotebookResult };

export interface IFinished {
  /** The result of a notebook that is what it was; null for one that is to be checked. */
  find(key: string): NotebookResult | null;
  add(key: string, result: NotebookResult): void;
}

/** Where nothing is kept. */
export const nothingFinished: IFinished = {
  find: () => null,
  add: () => undefined
};

/** Changes with everything that a result depends on. */
export function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Reads what is there; a line that was cut off in the middle is checked again.
 *
 * @throws RefineError kind `input` when the file cannot be read or written.
 */
export function openFinished(path: string): IFinished {
  const known = new Map<string, NotebookResult>();
  try {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    for (const line of text.split('\n')) {
      const read = parsed(line);
      if (read) {
        known.set(read.key, read.result);
      }
    }
    // A line that was cut off must not take the next one with it.
    appendFileSync(path, text === '' || text.endsWith('\n') ? '' : '\n');
  } catch (cause) {
    throw new RefineError(
      'input',
      `--resume ${path} cannot be used: ${fileProblem(cause)}`,
      { cause }
    );
  }
  return {
    find: key => known.get(key) ?? null,
    add: (key, result) => {
      const { problem, targets } = result;
      const isFinal = [problem, ...targets].every(
        one => !one || !['interrupted', 'error'].includes(one.status)
      );
      if (isFinal) {
        appendFileSync(path, `${JSON.stringify({ key, result })}\n`);
      }
    }
  };
}

function parsed(line: string): Line | null {
  try {
    const { key, result } = JSON.parse(line) as Partial<Line>;
    return typeof key === 'string' && Array.isArray(result?.targets)
      ? { key, result }
      : null;
  } catch {
    return null;
  }
}
