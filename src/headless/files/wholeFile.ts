/** Files on disk: written whole or not at all. */
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { RefineError } from '../../core/errors';

/**
 * See that a file can be written here, before anything is spent on a result that could not be kept.
 *
 * @throws RefineError kind `input`, naming the file.
 */
export function checkWritable(path: string): void {
  const target = realPath(path);
  const temporary = temporaryBeside(target);
  try {
    if (existsSync(target)) {
      // As it is: opened and not written to.
      closeSync(openSync(target, 'r+'));
    }
    writeFileSync(temporary, '');
    rmSync(temporary);
  } catch (cause) {
    throw cannotBeWritten(path, cause);
  }
}

/**
 * Write a file through one beside it that takes its place: a reader sees the
 * old or the new one. Keeps the permissions of a file that is replaced, and
 * follows a symbolic link.
 *
 * @throws RefineError kind `input`, naming the file.
 */
export function writeWhole(path: string, text: string): void {
  const target = realPath(path);
  const temporary = temporaryBeside(target);
  try {
    const descriptor = openSync(temporary, 'wx');
    try {
      const mode = fileMode(target);
      if (mode !== null) {
        fchmodSync(descriptor, mode);
      }
      writeFileSync(descriptor, text);
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

/**
 * Empty a file that a flag names, and append to it from then on.
 *
 * @throws RefineError kind `input` when it cannot be written.
 */
export function appendTo(flag: string, path: string): (text: string) => void {
  try {
    writeFileSync(path, '');
  } catch (cause) {
    throw cannotBeWritten(`${flag} ${path}`, cause);
  }
  return text => appendFileSync(path, text);
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
  const random = randomBytes(4).toString('hex');
  return join(dirname(file), `.${basename(file)}.refine-${random}.tmp`);
}

function cannotBeWritten(path: string, cause: unknown): RefineError {
  const message = `${path} cannot be written: ${fileProblem(cause)}`;
  return new RefineError('input', message, { cause });
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

/** Where a symbolic link leads; the path itself where there is nothing. */
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

/** What is wrong with a file, in words. */
export function fileProblem(cause: unknown): string {
  const code = (cause as { readonly code?: unknown } | null)?.code;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder.';
    case 'EISDIR':
      return 'it is a folder. Name its notebooks.';
    case 'EACCES':
    case 'EPERM':
      return 'permission denied.';
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

/**
 * The deepest folder that holds all notebooks.
 *
 * @throws RefineError kind `input` when they are on different drives.
 */
export function commonFolder(paths: readonly string[]): string {
  const [first = resolve(), ...others] = paths.map(path =>
    dirname(resolve(path))
  );
  let folder = first;
  for (const other of others) {
    while (!`${other}${sep}`.startsWith(withSeparator(folder))) {
      const parent = dirname(folder);
      if (parent === folder) {
        throw new RefineError(
          'input',
          `The notebooks ${paths.join(', ')} have no common folder. Run one command for each.`
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
