/** Watches the code while it is written, for what cannot be right whatever follows. */
import { cutLine } from '../text/cut';
import type { OpenBlock } from '../parse/parse';
import { PythonLook, type Wrong } from '../python/look';
import { sentence } from '../messages/sentence';

/** Characters of a block that is too long for one cell. */
const LONGEST = 200000;

/** Why a call was ended, as the attempt's failure. */
export type CutShort = {
  readonly code: Wrong['kind'];
  readonly message: string;
};

export class CandidateWatch {
  constructor(private readonly _language: string) {}

  /**
   * @param open - the block that is being written.
   * @param more - characters that have come since the last call.
   */
  see(open: OpenBlock | null, more: number): CutShort | null {
    if (open !== this._open) {
      this._open = open;
      this._look = new PythonLook();
      this._read = 0;
      this._started = false;
      this._size = 0;
    }
    if (open === null) {
      return null;
    }
    this._size += more;
    if (this._size > LONGEST) {
      return {
        code: 'runaway',
        message: sentence('code.endless', LONGEST)
      };
    }
    return this._language === 'python' ? this._newLines(open.text) : null;
  }

  private _newLines(text: string): CutShort | null {
    for (;;) {
      const end = text.indexOf('\n', this._read);
      if (end < 0) {
        return null;
      }
      const line = text.slice(this._read, end);
      this._read = end + 1;
      // As in the cell: no blank lines before it.
      this._started ||= line.trim() !== '' && !line.startsWith('%%refine');
      const wrong = this._started ? this._look.feed(line) : null;
      if (wrong) {
        return {
          code: wrong.kind,
          message: sentence(
            'code.wrong-line',
            wrong.line,
            cutLine(line.trim(), 120),
            wrong.reason
          )
        };
      }
    }
  }

  private _open: OpenBlock | null = null;
  private _look = new PythonLook();
  private _read = 0;
  private _started = false;
  private _size = 0;
}
