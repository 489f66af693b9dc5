/** Output that GitHub's runner reads: no text of a notebook or a model is a command in it. */
import type { ScreenStream } from './screen';

/** `::name` at the start of a line, after any white space of .NET. */
const COMMAND = /((?:^|[\r\n])[\s\u0085]*:)(?=:)/g;
/** The older form, anywhere in a line. */
const OLD_COMMAND = /##(?=\[)/g;
/**
 * The stream, which is written to in whole lines, with a space in whatever the runner would take for a
 * command: `: :name`, `## [name]`.
 */
export function withoutCommands(stream: ScreenStream): ScreenStream {
  return {
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns ?? 0;
    },
    write: text =>
      stream.write(text.replace(COMMAND, '$1 ').replace(OLD_COMMAND, '## '))
  };
}

/** JSON that has no such command either, and the same data. */
export function jsonText(value: unknown, indent: number): string {
  return JSON.stringify(value, null, indent).replace(/##\[/g, '#\\u0023[');
}
