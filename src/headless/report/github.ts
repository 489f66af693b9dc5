/** What GitHub's runner reads of the output: annotations, and no text of a notebook or a model as a command. */
import { relative, resolve, sep } from 'node:path';
import { NotebookText } from '../files/notebookText';
import { cellIds } from '../../notebook';
import { cellLabel, type NotebookResult, type TargetResult } from './results';
import type { ScreenStream } from './screen';
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
  const lineOf = targets.length > 0 ? linesOf(path) : () => undefined;
  const ofTargets = targets.flatMap(target => {
    const { status, reason, message, confirmed } = target;
    const isOpen = confirmed !== null && confirmed.n < confirmed.of;
    if (status === 'passed' && !isOpen) {
      return [];
    }
    const line = lineOf(target);
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

/** Where a cell starts in the file, from 1; nothing for a file that is gone meanwhile. */
function linesOf(path: string): (target: TargetResult) => number | undefined {
  try {
    const text = NotebookText.read(path);
    const ids = cellIds(text.notebook);
    return ({ cellId, index }) =>
      text.lineOf(ids.includes(cellId) ? ids.indexOf(cellId) : index);
  } catch {
    return () => undefined;
  }
}

/** `::name` at the start of a line, after any white space of .NET. */
const COMMAND = /((?:^|[\r\n])[\s\u0085]*:)(?=:)/g;
/** The older form, anywhere in a line. */
const OLD_COMMAND = /##(?=\[)/g;
/** A line that can still become a command. */
const OPEN_LINE = /^[\s\u0085]*:?$/;

/**
 * The stream, with a space in whatever the runner would take for a command:
 * `: :name`, `## [name]`. Write commands to `stream` itself.
 */
export function withoutCommands(stream: ScreenStream): ScreenStream {
  // Of the current line, as far as it matters: a command may come in pieces.
  let before = '';
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 0;
    },
    write(text) {
      const whole = (before + text)
        .replace(COMMAND, '$1 ')
        .replace(OLD_COMMAND, '## ');
      const line = whole.split(/[\r\n]/).at(-1) ?? '';
      const written = whole.slice(before.length);
      before = OPEN_LINE.test(line) ? line : `.${line.slice(-2)}`;
      return stream.write(written);
    }
  };
}

/** JSON that has no such command either, and the same data. */
export function jsonText(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(/##\[/g, '#\\u0023[');
}
