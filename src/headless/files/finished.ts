/** The file of `--resume`: what an earlier command has finished, one JSON object a line. */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { RefineError } from '../../core/errors';
import type { NotebookResult } from '../report/results';
import { fileProblem } from './fileProblem';

export interface IFinished<Result> {
  /** The result of an item that is what it was; null for one without. */
  find(key: string): Result | null;
  add(key: string, result: Result): void;
}

/** How results of a kind are recognized. */
export type FinishedKind<Result> = {
  /** Whether a value of the file is one. */
  readonly isResult: (value: unknown) => value is Result;
  /** False for one that may be another the next time: it is not kept. */
  readonly isFinal: (result: Result) => boolean;
};

export const FINISHED_NOTEBOOK: FinishedKind<NotebookResult> = {
  isResult: (value): value is NotebookResult =>
    Array.isArray((value as Partial<NotebookResult> | null)?.targets),
  isFinal: ({ problem, targets }) =>
    [problem, ...targets].every(
      one => !one || !['interrupted', 'error'].includes(one.status)
    )
};

/** Where nothing is kept. */
export const nothingFinished: IFinished<never> = {
  find: () => null,
  add: () => undefined
};

/** Changes with everything that a result depends on. */
export function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Reads the file; a line that was cut off in the middle is checked again.
 *
 * @throws RefineError kind `input` when the file cannot be read or written.
 */
export function openFinished<Result>(
  path: string,
  { isResult, isFinal }: FinishedKind<Result>
): IFinished<Result> {
  const known = new Map<string, Result>();
  try {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    for (const line of text.split('\n')) {
      const read = parsed(line);
      if (read && isResult(read.result)) {
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
      if (isFinal(result)) {
        appendFileSync(path, `${JSON.stringify({ key, result })}\n`);
      }
    }
  };
}

function parsed(
  line: string
): { readonly key: string; readonly result: unknown } | null {
  try {
    const { key, result } = JSON.parse(line) as Record<string, unknown>;
    return typeof key === 'string' ? { key, result } : null;
  } catch {
    return null;
  }
}
