/** Where progress is shown: a terminal that is written to as text comes, or lines for a log. */
import { painter, printablePainted, type Paint } from './text';

export interface IScreen {
  readonly paint: Paint;
  /** Characters a line may have. */
  readonly width: number;
  /** Whole lines. */
  line(text: string): void;
  /** A part of a line; shown at once on a terminal, when its line is complete elsewhere. */
  part(text: string): void;
  /** End a line that `part` started. */
  endLine(): void;
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
  return new Screen(stream, terminal, terminal && !environment['NO_COLOR']);
}

/** Shows nothing. */
export function noScreen({ paint, width }: IScreen): IScreen {
  const nothing = () => undefined;
  return {
    paint,
    width,
    line: nothing,
    part: nothing,
    endLine: nothing,
    status: nothing
  };
}

class Screen implements IScreen {
  constructor(
    private readonly _stream: ScreenStream,
    private readonly _terminal: boolean,
    colours: boolean
  ) {
    this.paint = painter(colours);
  }

  readonly paint: Paint;

  get width(): number {
    // A terminal of unknown width says 0.
    return this._terminal
      ? Math.max(40, this._stream.columns || 80)
      : LOG_WIDTH;
  }

  line(text: string): void {
    this.endLine();
    this._write(`${printablePainted(text)}\n`);
  }

  part(given: string): void {
    const text = printablePainted(given);
    if (this._terminal) {
      this._write(text);
    } else {
      this._held += text;
      const end = this._held.lastIndexOf('\n') + 1;
      this._stream.write(this._held.slice(0, end));
      this._held = this._held.slice(end);
    }
    this._open = text === '' ? this._open : !text.endsWith('\n');
  }

  endLine(): void {
    if (this._open) {
      this._write(`${this._held}\n`);
      this._held = '';
      this._open = false;
    }
  }

  status(text: string): void {
    if (this._terminal && !this._open) {
      this._write('');
      this._stream.write(printablePainted(text));
      this._statusShown = text !== '';
    }
  }

  private _write(text: string): void {
    this._stream.write(this._statusShown ? CLEAR_LINE + text : text);
    this._statusShown = false;
  }

  private _held = '';
  private _open = false;
  private _statusShown = false;
}

/** Keeps its lines until they are let out together: progress of one of several notebooks, whose waits are not shown. */
export function heldScreen(
  screen: IScreen
): IScreen & { readonly release: () => void } {
  let text = '';
  const held = new Screen({ write: more => (text += more) }, false, false);
  return {
    paint: screen.paint,
    width: screen.width,
    line: whole => held.line(whole),
    part: piece => held.part(piece),
    endLine: () => held.endLine(),
    status: () => undefined,
    release: () => {
      held.endLine();
      const lines = text.split('\n').slice(0, -1);
      text = '';
      lines.forEach(line => screen.line(line));
    }
  };
}
