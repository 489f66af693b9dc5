/** Code that a session produced and that is in no file: printed, since it was paid for. */
import {
  cellLabel,
  heldText,
  type NotebookResult,
  type TargetResult
} from './results';
import { printable, type Paint } from './text';

/** A heading and the code, for each target whose best attempt was not written. */
export function unkeptCodeLines(
  { path, targets, written }: NotebookResult,
  paint: Paint
): readonly string[] {
  return targets.flatMap(target => {
    const best = target.outcome?.best;
    const isKept = written !== null && target.accepted !== null;
    return !best || best.attempt === 0 || isKept || !best.candidate.trim()
      ? []
      : [
          '',
          paint('strong', heading(path, target)),
          ...printable(best.candidate).trimEnd().split('\n')
        ];
  });
}

/** `Best candidate of n.ipynb cell 1 [f], 3 of 4:` */
function heading(path: string, target: TargetResult): string {
  const place = `${path} ${cellLabel(target)}, ${heldText(target)}`;
  return target.accepted === null
    ? `Best candidate of ${place}:`
    : `Accepted for ${place}, not saved to a file:`;
}
