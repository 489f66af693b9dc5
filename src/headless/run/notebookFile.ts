/** Notebooks on disk: read with a clear error, written whole or not at all. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
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
import { basename, dirname, join, resolve } from 'node:path';
import { RefineError } from '../../core/errors';
import { cellsFromNotebook, type NotebookContent } from '../../notebook';

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
    throw new RefineError(
      'input',
      `${path} is not a notebook: it is not JSON.`,
      {
        cause
      }
    );
  }
  if (!isNotebook(notebook)) {
    throw new RefineError(
      'input',
      `${path} is not a notebook: it has no nbformat and no cells.`
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
 * See that a notebook can be written here, by making the file beside it and
 * taking it away: before anything is spent on a result that could not be kept.
 *
 * @throws RefineError kind `input`, naming the file.
 */
export function checkWritable(path: string): void {
  const target = realPath(path);
  const temporary = temporaryBeside(target);
  try {
    if (existsSync(target)) {
      accessSync(target, constants.W_OK);
      if (statSync(target).isDirectory()) {
        throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      }
    }
    closeSync(openSync(temporary, 'wx'));
  } catch (cause) {
    throw cannotBeWritten(path, cause);
  } finally {
    removeQuietly(temporary);
  }
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
  const temporary = temporaryBeside(target);
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
    removeQuietly(temporary);
    throw cannotBeWritten(path, cause);
  }
}

/** The error reported is the earlier one, not that there is nothing to remove. */
function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Its name alone can be what the file system refuses.
  }
}

function temporaryBeside(file: string): string {
  const random = randomBytes(6).toString('hex');
  return join(dirname(file), `.${basename(file)}.${random}.tmp`);
}

function cannotBeWritten(path: string, cause: unknown): RefineError {
  const message = `${path} cannot be written: ${fileProblem(cause)}`;
  return new RefineError('input', message, { cause });
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

/** Each file once, as it was named first, however its path is written. */
export function distinctFiles(paths: readonly string[]): readonly string[] {
  const named = new Map<string, string>();
  for (const path of paths) {
    const real = resolve(realPath(path));
    named.set(real, named.get(real) ?? path);
  }
  return [...named.values()];
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
