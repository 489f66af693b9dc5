/** Frames of JSON over a pipe: four bytes with the length of the rest, most significant first. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

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

/** Of {@link spawnFramed}: anything may print to standard output when Python starts. */
const ANSWERS = 3;

/** A process that reads frames from its standard input, and answers over a descriptor of their own. */
export function spawnFramed(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv
): ChildProcess {
  return spawn(program, args, {
    env,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C reaches this process, which then ends what runs in order.
    detached: true,
    windowsHide: true
  });
}

/** The answers of a process of {@link spawnFramed}; null when it did not start. */
export function framesOf(child: ChildProcess): Readable | null {
  return child.stdio[ANSWERS] as Readable | null;
}
