/** The error that a code cell of an open notebook shows. */
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import { cutMiddle, stripAnsi } from '../kernel/channel/ansi';
import type { ErrorOutput } from '../notebook/repair';

/** Characters of a traceback that a prompt contains. */
const TRACEBACK_LIMIT = 6000;

export function isCodeCell(cell: ICellModel): cell is ICodeCellModel {
  return cell.type === 'code';
}

/** Null when no output of the cell is an error. */
export function errorOutput(cell: ICellModel): ErrorOutput | null {
  if (!isCodeCell(cell)) {
    return null;
  }
  for (let i = 0; i < cell.outputs.length; i++) {
    const output = cell.outputs.get(i);
    if (output.type === 'error') {
      const { ename, evalue, traceback } = output.toJSON();
      const name = String(ename);
      const message = stripAnsi(String(evalue));
      const lines = Array.isArray(traceback) ? traceback.map(String) : [];
      const text =
        lines.length > 0 ? stripAnsi(lines.join('\n')) : `${name}: ${message}`;
      return { name, message, traceback: cutMiddle(text, TRACEBACK_LIMIT) };
    }
  }
  return null;
}
