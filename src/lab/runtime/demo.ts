/** Puts the bundled demo notebook among the user's files. */
import type { INotebookContent } from '@jupyterlab/nbformat';
import type { Contents } from '@jupyterlab/services';

const NAME = 'fibonacci.ipynb';

/** Where a checkout and `jupyter refine demo` have it. */
const KNOWN_PLACES = [NAME, `demo/${NAME}`];

/** @returns the path of the demo notebook: the one that is there, or a new copy. */
export async function demoNotebook(
  contents: Contents.IManager
): Promise<string> {
  for (const path of KNOWN_PLACES) {
    try {
      await contents.get(path, { content: false });
      return path;
    } catch {
      // Not here: look at the next place, then make one.
    }
  }
  const asset = new URL('../../../demo/fibonacci.ipynb', import.meta.url);
  const content = (await (await fetch(asset)).json()) as INotebookContent;
  await contents.save(NAME, { type: 'notebook', format: 'json', content });
  return NAME;
}
