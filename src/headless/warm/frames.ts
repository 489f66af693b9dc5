/** Frames of JSON over a pipe: four bytes with the length of the rest, most significant first. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type * as z from 'zod';

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

/** Descriptor of the answers: anything may print to standard output when Python starts. */
const ANSWERS = 3;
const STOP_LIMIT_MS = 5000;
const LOG_CHARACTERS = 8000;

export type FramedPorts<T> = {
  readonly schema: z.ZodType<T>;
  readonly onFrame: (frame: T) => void;
  /** Called once. @param why - a clause. */
  readonly onEnd: (why: string) => void;
};

/** A process that reads frames from its standard input, and answers over a descriptor of their own. */
export class FramedProcess<T> {
  constructor(
    program: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    { schema, onFrame, onEnd }: FramedPorts<T>
  ) {
    this._child = spawn(program, args, {
      env,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      // A session of its own: Ctrl-C reaches this process, which then ends what runs in order.
      detached: true,
      windowsHide: true
    });
    const end = (why: string) => {
      if (!this.hasEnded) {
        this.hasEnded = true;
        onEnd(why);
        this._onGone();
      }
    };
    const reader = new FrameReader(value => {
      const frame = schema.safeParse(value);
      if (frame.success) {
        onFrame(frame.data);
      }
    });
    // Null when it did not start.
    const answers = this._child.stdio[ANSWERS] as Readable | null;
    answers?.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.kill();
        end(`its answer cannot be read (${String(error)})`);
      }
    });
    this._child.stderr?.on('data', (chunk: Buffer) => {
      this._log = `${this._log}${chunk.toString('utf8')}`.slice(
        -LOG_CHARACTERS
      );
    });
    // What is written to a process that has ended is answered by its end.
    this._child.stdin?.on('error', () => undefined);
    this._child.on('error', error => end(error.message));
    this._child.on('close', (code, name) =>
      end(`it ended with ${name ?? `status ${code}`}`)
    );
  }

  hasEnded = false;

  send(frame: object): void {
    this._child.stdin?.write(encodeFrame(frame));
  }

  /** The last lines that it wrote to standard error. */
  log(lines: number): string {
    return this._log.trim().split('\n').slice(-lines).join('\n');
  }

  /** Let it end; safe to call twice. @param kill - ends one that does not. */
  async stop(kill = () => this.kill()): Promise<void> {
    if (!this.hasEnded) {
      const timer = setTimeout(kill, STOP_LIMIT_MS);
      this._child.stdin?.end();
      await this._gone;
      clearTimeout(timer);
    }
  }

  /** End it at once, with its group, which it leads. */
  kill(): void {
    const { pid } = this._child;
    if (pid !== undefined && !this.hasEnded && !signal(-pid, 'SIGKILL')) {
      this._child.kill('SIGKILL');
    }
  }

  private readonly _child: ChildProcess;
  private _log = '';
  private _onGone: () => void = () => undefined;
  private readonly _gone = new Promise<void>(resolve => {
    this._onGone = resolve;
  });
}

/** False for a process, or a group, that has ended. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
