/** Notebooks on disk: read with a clear error, written whole or not at all. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RefineError } from '../core/errors';
import { cellsFromNotebook, type NotebookContent } from '../notebook';

/** @throws RefineError kind `input`, naming the file. */
export function readNotebook(path: string): NotebookContent {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new RefineError('input', `${path}: ${fileProblem(cause)}`, { cause });
  }
  let notebook: unknown;
  try {
    notebook = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new RefineError('input', `${path} is no notebook: it is not JSON.`, {
      cause
    });
  }
  if (!isNotebook(notebook)) {
    throw new RefineError(
      'input',
      `${path} is no notebook: it has no nbformat and no cells.`
    );
  }
  try {
    cellsFromNotebook(notebook);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new RefineError('input', `${path}: ${message}`, { cause });
  }
  return notebook;
}

/**
 * Write a notebook as nbformat does, through a file beside it that takes its
 * place: a reader sees the old or the new one. Keeps the permissions of a file
 * that is replaced, and follows a symbolic link.
 *
 * @throws RefineError kind `input`, naming the file.
 */
export function writeNotebook(path: string, notebook: NotebookContent): void {
  const target = realPath(path);
  const temporary = join(
    dirname(target),
    `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`
  );
  try {
    const descriptor = openSync(temporary, 'wx');
    try {
      const mode = fileMode(target);
      if (mode !== null) {
        fchmodSync(descriptor, mode);
      }
      writeFileSync(descriptor, `${JSON.stringify(notebook, null, 1)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, target);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new RefineError(
      'input',
      `${path} cannot be written: ${fileProblem(cause)}`,
      { cause }
    );
  }
}

/** What is wrong with a file, in words. */
export function fileProblem(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null)?.code;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder.';
    case 'EISDIR':
      return 'it is a folder.';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied.';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

function isNotebook(value: unknown): value is NotebookContent {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const { nbformat, cells, metadata } = value as Partial<
    Record<string, unknown>
  >;
  return (
    typeof nbformat === 'number' &&
    (nbformat !== 4 ||
      (Array.isArray(cells) &&
        typeof metadata === 'object' &&
        metadata !== null &&
        cells.every(isCell)))
  );
}

function isCell(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    return false;
  }
  const cell = value as Partial<Record<string, unknown>>;
  return (
    typeof cell['cell_type'] === 'string' &&
    (typeof cell['source'] === 'string' || Array.isArray(cell['source'])) &&
    typeof cell['metadata'] === 'object' &&
    cell['metadata'] !== null
  );
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function fileMode(path: string): number | null {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return null;
  }
}
