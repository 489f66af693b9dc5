/** Where a server for several notebooks is rooted. */
import { dirname, resolve, sep } from 'node:path';
import { RefineError } from '../../core/errors';

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
