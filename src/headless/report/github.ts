/** Annotations of a GitHub Actions job: the runner reads these lines from what a step prints. */
import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { parseJson, type JsonNode } from '../files/jsonText';
import { cellLabel, type NotebookResult } from './results';
import { printable } from './text';

/**
 * An error for each target that did not pass and each notebook with a problem, a warning for each pass
 * that is not confirmed.
 *
 * @param root - folder that paths are relative to there.
 */
export function annotations(
  { path, targets, problem }: NotebookResult,
  root: string
): readonly string[] {
  const file = relative(resolve(root), resolve(path)).split(sep).join('/');
  const cells = targets.length > 0 ? cellsOf(path) : [];
  const ofTargets = targets.flatMap(target => {
    const { status, reason, message, confirmed, cellId, index } = target;
    const isOpen = confirmed !== null && confirmed.n < confirmed.of;
    if (status === 'passed' && !isOpen) {
      return [];
    }
    const line =
      cells.find(({ id }) => id === cellId)?.line ?? cells[index]?.line;
    const text =
      status === 'passed'
        ? `${confirmed?.n} of ${confirmed?.of} checks are confirmed`
        : reason?.message || message || status;
    return [
      command(status === 'passed' ? 'warning' : 'error', text, {
        file,
        ...(line === undefined ? {} : { line: String(line) }),
        title: cellLabel(target)
      })
    ];
  });
  const isSaid = targets.some(({ status }) => status === problem?.status);
  return problem === null || isSaid
    ? ofTargets
    : [...ofTargets, command('error', problem.message, { file })];
}

function command(
  level: 'error' | 'warning',
  text: string,
  properties: Readonly<Record<string, string>>
): string {
  const named = Object.entries(properties).map(
    ([name, value]) =>
      `${name}=${escaped(value).replace(/:/g, '%3A').replace(/,/g, '%2C')}`
  );
  return `::${level} ${named.join(',')}::${escaped(text)}`;
}

/** One line that cannot be read as another command. */
function escaped(text: string): string {
  return printable(text)
    .replace(/%/g, '%25')
    .replace(/\r/g, '%0D')
    .replace(/\n/g, '%0A');
}

/** Where each cell starts in the file, lines from 1; none for a file that is gone meanwhile. */
function cellsOf(
  path: string
): readonly { readonly id: unknown; readonly line: number }[] {
  let text: string;
  let root: JsonNode;
  try {
    text = readFileSync(path, 'utf8');
    root = parseJson(text, text.startsWith('\uFEFF') ? 1 : 0);
  } catch {
    return [];
  }
  const cells = root.members?.find(({ key }) => key === 'cells')?.value.items;
  return (cells ?? []).map(({ start, value }) => ({
    id: (value as { readonly id?: unknown } | null)?.id,
    line: text.slice(0, start).split('\n').length
  }));
}
