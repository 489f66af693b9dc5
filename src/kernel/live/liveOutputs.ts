/** What a live execution printed and displayed, within bounds. */
import type { DisplayData } from '../../core/domain/execution';
import type { LiveOutput } from './liveRequest';

const TEXT_LIMIT = 1000000;
/** One more is named, without its data. */
const DISPLAYS_LIMIT = 20;

export class LiveOutputs {
  /** @param textLimit Characters kept per stream. */
  constructor(private readonly _textLimit: number = TEXT_LIMIT) {}

  /** Everything kept so far. */
  get kept(): {
    readonly stdout: string;
    readonly stderr: string;
    readonly displays: readonly DisplayData[];
  } {
    return { ...this._text, displays: this._displays };
  }

  /** Drop all that comes from now on: hold-outs run. */
  close(): void {
    this._closed = true;
  }

  /** The text that was kept of this output; null for none. Displays of checks are dropped. */
  add(
    output: LiveOutput,
    isCandidate: boolean
  ): { readonly stream: 'stdout' | 'stderr'; readonly text: string } | null {
    if (this._closed) {
      return null;
    }
    if (output.type === 'display') {
      if (isCandidate && this._displays.length <= DISPLAYS_LIMIT) {
        const { display } = output;
        this._displays.push(
          this._displays.length < DISPLAYS_LIMIT
            ? display
            : { ...display, data: '', leftOut: display.data.length }
        );
      }
      return null;
    }
    const { stream } = output;
    const room = Math.max(0, this._textLimit - this._text[stream].length);
    const text = output.text.slice(0, room);
    this._text[stream] += text;
    return text === '' ? null : { stream, text };
  }

  private _closed = false;
  private readonly _text = { stdout: '', stderr: '' };
  private readonly _displays: DisplayData[] = [];
}
