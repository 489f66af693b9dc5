/** Where progress is shown: a terminal, or lines for a log. */
import { painter, printablePainted, type Paint } from './text';

export interface IScreen {
  readonly paint: Paint;
  /** Characters a line may have. */
  readonly width: number;
  /** Whole lines. */
  line(text: string): void;
  /** One line that the next output replaces; nothing where output is not a terminal. */
  status(text: string): void;
}

export type ScreenStream = {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
};

const LOG_WIDTH = 160;
const CLEAR_LINE = '\r\u001b[K';

/** Colours and status lines only on a terminal; `NO_COLOR` and a dumb terminal are respected. */
export function createScreen(
  stream: ScreenStream,
  environment: Readonly<Record<string, string | undefined>>
): IScreen {
  const terminal = stream.isTTY === true && environment['TERM'] !== 'dumb';
  let isStatusShown = false;
  const write = (text: string) => {
    stream.write((isStatusShown ? CLEAR_LINE : '') + text);
    isStatusShown = false;
  };
  return {
    paint: painter(terminal && !environment['NO_COLOR']),
    get width() {
      // A terminal of unknown width says 0.
      return terminal ? Math.max(40, stream.columns || 80) : LOG_WIDTH;
    },
    line: text => write(`${printablePainted(text)}\n`),
    status: text => {
      if (terminal) {
        write(printablePainted(text));
        isStatusShown = text !== '';
      }
    }
  };
}

/** Keeps its lines until they are let out together: progress of one of several notebooks, whose waits are not shown. */
export function heldScreen(
  screen: IScreen
): IScreen & { readonly release: () => void } {
  const lines: string[] = [];
  return {
    paint: screen.paint,
    width: screen.width,
    line: text => lines.push(text),
    status: () => undefined,
    release: () => lines.splice(0).forEach(line => screen.line(line))
  };
}

/** What GitHub's runner takes for a command: `::name` at the start of a line, after any white space of .NET. */
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
