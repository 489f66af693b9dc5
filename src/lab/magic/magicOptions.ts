/** The options of a `%%refine` line, checked before anything starts. */
import { parseMagicCell } from '../../notebook/magicCell';
import { readCellOptions } from '../../notebook/options/cellOptions';

/** A sentence for each option that is unknown or wrong. */
export function magicProblems(source: string): readonly string[] {
  return readCellOptions({}, parseMagicCell(source).options).warnings;
}
