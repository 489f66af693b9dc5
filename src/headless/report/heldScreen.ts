/** A screen that keeps its lines until they are let out together: progress of one of several notebooks. */
import type { IScreen } from './screen';
import type { Paint } from './text';

export class HeldScreen implements IScreen {
  constructor(private readonly _screen: IScreen) {
    this.paint = _screen.paint;
  }

  readonly paint: Paint;

  get width(): number {
    return this._screen.width;
  }

  line(text: string): void {
    this.endLine();
    this._lines.push(text);
  }

  part(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this._open += first;
    for (const other of others) {
      this._lines.push(this._open);
      this._open = other;
    }
  }

  endLine(): void {
    if (this._open) {
      this._lines.push(this._open);
      this._open = '';
    }
  }

  /** What one of several waits for is not shown. */
  status(text: string): void {}

  /** Let out what was kept. */
  release(): void {
    this.endLine();
    this._lines.splice(0).forEach(line => this._screen.line(line));
  }

  private readonly _lines: string[] = [];
  private _open = '';
}
