/** The error that a code cell of an open notebook shows. */
import type { ICellModel, ICodeCellModel } from '@jupyterlab/cells';
import type { IOutputModel } from '@jupyterlab/rendermime';
import { cutMiddle } from '../core/text/cut';
import { stripAnsi } from '../kernel/channel/ansi';
import type { ErrorOutput } from '../notebook/repair';

/** Characters of a traceback that a prompt contains. */
const TRACEBACK_LIMIT = 6000;

export function isCodeCell(cell: ICellModel): cell is ICodeCellModel {
  return cell.type === 'code';
}

/** True for a cell of which an output is an error. */
export function showsError(cell: ICellModel): boolean {
  return errorModel(cell) !== null;
}

/** The error that a cell shows; null when no output of it is one. */
export function errorOutput(cell: ICellModel): ErrorOutput | null {
  const output = errorModel(cell)?.toJSON();
  if (!output) {
    return null;
  }
  const { ename, evalue, traceback } = output;
  const name = String(ename);
  const message = stripAnsi(String(evalue));
  const lines = Array.isArray(traceback) ? traceback.map(String) : [];
  const text =
    lines.length > 0 ? stripAnsi(lines.join('\n')) : `${name}: ${message}`;
  return { name, message, traceback: cutMiddle(text, TRACEBACK_LIMIT) };
}

function errorModel(cell: ICellModel): IOutputModel | null {
  if (!isCodeCell(cell)) {
    return null;
  }
  for (let i = 0; i < cell.outputs.length; i++) {
    const output = cell.outputs.get(i);
    if (output.type === 'error') {
      return output;
    }
  }
  return null;
}
