/** Files on disk: written whole or not at all, in folders that are created if needed. */
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs';
import {
  basename,
  dirname,
  isAbsolute,
  join,
  relative,
  resolve,
  sep
} from 'node:path';
import { RefineError } from '../../core/errors';

/**
 * See that a file can be written here, before anything is spent on a result that could not be kept.
 *
 * @throws RefineError kind `input`, naming the file.
 */
export function checkWritable(path: string): void {
  besideIt(path, (target, temporary) => {
    if (existsSync(target)) {
      // As it is: opened and not written to.
      closeSync(openSync(target, 'r+'));
    }
    writeFileSync(temporary, '');
  });
}

/**
 * Write a file through one beside it that takes its place: a reader sees the
 * old or the new one. Keeps the permissions of a file that is replaced, and
 * follows a symbolic link.
 *
 * @throws RefineError kind `input`, naming the file.
 */
export function writeWhole(path: string, text: string): void {
  besideIt(path, (target, temporary) => {
    const mode = statSync(target, { throwIfNoEntry: false })?.mode;
    writeFileSync(temporary, text, { mode, flush: true });
    if (mode !== undefined) {
      chmodSync(temporary, mode & 0o777);
    }
    renameSync(temporary, target);
  });
}

/** Calls `write` with a file and the name of another one beside it, which is gone afterwards. */
function besideIt(
  path: string,
  write: (target: string, temporary: string) => void
): void {
  const target = realPath(path);
  const random = randomBytes(4).toString('hex');
  const name = `.${basename(target)}.refine-${random}.tmp`;
  const temporary = join(dirname(target), name);
  try {
    mkdirSync(dirname(resolve(target)), { recursive: true });
    write(target, temporary);
  } catch (cause) {
    throw cannotBeWritten(path, cause);
  } finally {
    if (existsSync(temporary)) {
      rmSync(temporary);
    }
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

function cannotBeWritten(path: string, cause: unknown): RefineError {
  const message = `${path} cannot be written: ${fileProblem(cause)}`;
  return new RefineError('input', message, { cause });
}

/** Each file once, as it was named first, however its path is written. */
export function distinctFiles(paths: readonly string[]): readonly string[] {
  const real = paths.map(path => resolve(realPath(path)));
  return paths.filter((_, n) => real.indexOf(real[n]!) === n);
}

/** Where a symbolic link leads; the path itself where there is nothing. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** What is wrong with a file, in words. */
export function fileProblem(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  return code === 'ENOENT'
    ? 'there is no such file or folder.'
    : code === 'EISDIR'
      ? 'it is a folder. Name a file, such as FOLDER/*.ipynb.'
      : message;
}

/**
 * The deepest folder that holds all notebooks.
 *
 * @throws RefineError kind `input` when they are on different drives.
 */
export function commonFolder(paths: readonly string[]): string {
  const folders = paths.map(path => dirname(resolve(path)));
  let common = folders[0] ?? resolve();
  const isOutside = (folder: string) => {
    const way = relative(common, folder);
    return isAbsolute(way) || way.split(sep)[0] === '..';
  };
  while (folders.some(isOutside)) {
    const parent = dirname(common);
    if (parent === common) {
      throw new RefineError(
        'input',
        `The notebooks ${paths.join(', ')} have no common folder. Run one command for each.`
      );
    }
    common = parent;
  }
  return common;
}
