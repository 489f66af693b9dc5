/** A terminal, or lines for a log, and text that steers neither, whatever a model or a kernel prints. */
import { stripVTControlCharacters } from 'node:util';

/** Control characters but for line feed and tab; marks that change the direction of writing. */
const STEERING =
  /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text without colours, cursor movements and other control characters. */
export function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n/g, '\n')
    .replace(STEERING, '');
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return printable(text).replace(/\s*\n\s*/g, ' ');
}

/** The first line, cut at `width` characters; a cut is shown. */
export function oneLine(text: string, width: number): string {
  const [line = '', ...more] = printable(text).trim().split('\n');
  const cut = more.length > 0 || line.length > width;
  return cut ? `${line.slice(0, Math.max(1, width - 2)).trimEnd()} …` : line;
}

/** `KeyError: 'a'`; the name alone where the error says nothing. */
export function errorText(error: {
  readonly name: string;
  readonly message: string;
}): string {
  const message = error.message.trim();
  return printable(message ? `${error.name}: ${message}` : error.name);
}

/** Six digits of a fraction; whole numbers as they are. */
export function significant(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(6)));
}

/** `1 assertion`, `3 assertions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export type Style = 'good' | 'bad' | 'dim' | 'strong' | 'warn';

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  good: [32, 39],
  bad: [31, 39],
  warn: [33, 39],
  dim: [2, 22],
  strong: [1, 22]
};

export type Paint = (style: Style, text: string) => string;

export function painter(colours: boolean): Paint {
  return (style, text) =>
    colours && text
      ? `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m`
      : text;
}

export interface IScreen {
  /** Characters a line may have. */
  readonly width: number;
  /** Whole lines. */
  line(text: string, style?: Style): void;
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
  const paint = painter(terminal && !environment['NO_COLOR']);
  let isStatusShown = false;
  const write = (text: string, style: Style | undefined, end: string) => {
    const shown = printable(text);
    stream.write(
      `${isStatusShown ? CLEAR_LINE : ''}${style ? paint(style, shown) : shown}${end}`
    );
  };
  return {
    get width() {
      // A terminal of unknown width says 0.
      return terminal ? Math.max(40, stream.columns || 80) : LOG_WIDTH;
    },
    line: (text, style) => {
      write(text, style, '\n');
      isStatusShown = false;
    },
    status: text => {
      if (terminal) {
        write(text, 'dim', '');
        isStatusShown = text !== '';
      }
    }
  };
}

/** Keeps its lines until they are let out together: progress of one of several notebooks, whose waits are not shown. */
export function heldScreen(
  screen: IScreen
): IScreen & { readonly release: () => void } {
  const lines: Parameters<IScreen['line']>[] = [];
  return {
    width: screen.width,
    line: (...line) => lines.push(line),
    status: () => undefined,
    release: () => lines.splice(0).forEach(line => screen.line(...line))
  };
}
