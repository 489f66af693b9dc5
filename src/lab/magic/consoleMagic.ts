/**
 * `%%refine` in a code console: only cells of a notebook are refined. Where the
 * kernel's environment has `jupyterlab_refine`, its magic says so; elsewhere
 * IPython reports an unknown magic, and its message is replaced here. Nothing is sent to the kernel.
 */
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { IOutput } from '@jupyterlab/nbformat';
import { isRefineMagic, refineLine } from './magic';

/** Replace IPython's message about an unknown `%%refine` or `%refine` below this cell of a console. */
export function explainUnknownMagic(
  { sharedModel, outputs }: ICodeCellModel,
  message: string
): void {
  const source = sharedModel.getSource();
  if (!isRefineMagic(source) && refineLine(source) === null) {
    return;
  }
  outputs.changed.connect(() => {
    for (let i = 0; i < outputs.length; i++) {
      if (isUnknownMagic(outputs.get(i).toJSON())) {
        outputs.set(i, {
          output_type: 'stream',
          name: 'stderr',
          text: `${message}\n`
        });
      }
    }
  });
}

/** ``UsageError: Cell magic `%%refine` not found.``, as text or as an error. */
function isUnknownMagic({ text, evalue }: IOutput): boolean {
  const said = [text, evalue].flat().join('');
  return /magic\b.*`%%?refine` not found/.test(said);
}
