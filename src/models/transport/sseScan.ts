/** Looks at the bytes of an event stream without parsing it: the client parses. */

const LF = 10;
const CR = 13;
const COLON = 58;
const TAIL_BYTES = 32;

export class SseScan {
  /** True once a line that is neither blank nor a comment has started. */
  get sawData(): boolean {
    return this._sawData;
  }

  /** True when the closing `data: [DONE]` was the last line so far. */
  get sawDone(): boolean {
    return /data:\s*\[DONE\]\s*$/.test(this._tail);
  }

  /** What a chunk holds; a comment may be cut anywhere between chunks. */
  feed(chunk: Uint8Array): 'data' | 'comment' {
    let data = false;
    for (const byte of chunk) {
      if (byte === LF || byte === CR) {
        this._line = 'blank';
      } else {
        if (this._line === 'blank') {
          this._line = byte === COLON ? 'comment' : 'data';
        }
        data ||= this._line === 'data';
      }
    }
    this._sawData ||= data;
    this._tail = (
      this._tail + String.fromCharCode(...chunk.subarray(-TAIL_BYTES))
    ).slice(-TAIL_BYTES);
    return data ? 'data' : 'comment';
  }

  private _line: 'blank' | 'comment' | 'data' = 'blank';
  private _sawData = false;
  private _tail = '';
}
