/** Frames of JSON over a pipe: four bytes with the length of the rest, most significant first. */

const HEAD = 4;

export function encodeFrame(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value), 'utf8');
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/** Gives each frame whose last byte has arrived to `onFrame`. */
export class FrameReader {
  constructor(private readonly _onFrame: (value: unknown) => void) {}

  push(chunk: Buffer): void {
    this._parts.push(chunk);
    this._size += chunk.length;
    while (this._size >= this._wanted) {
      const [first] = this._parts;
      const data =
        first && this._parts.length === 1 ? first : Buffer.concat(this._parts);
      const part = data.subarray(0, this._wanted);
      this._parts = [data.subarray(this._wanted)];
      this._size -= part.length;
      if (this._isHead) {
        this._wanted = part.readUInt32BE();
      } else {
        this._wanted = HEAD;
        this._onFrame(JSON.parse(part.toString('utf8')));
      }
      this._isHead = !this._isHead;
    }
  }

  /** Joined only when a frame is whole: a long one comes in many chunks. */
  private _parts: Buffer[] = [];
  private _size = 0;
  private _wanted = HEAD;
  private _isHead = true;
}
