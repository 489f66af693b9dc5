/** One response of the scripted server: writes that end when the client goes. */
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** Pace, splitting and comments over a `ServerResponse`. */
export class Exchange {
  constructor(private readonly response: ServerResponse) {
    response.on('close', () => this._closed.abort());
  }

  /** True once the connection is gone or the response is over. */
  get closed(): boolean {
    return this._closed.signal.aborted;
  }

  /** True when the server, not the client, ended the response. */
  get complete(): boolean {
    return this._reset || this.response.writableFinished;
  }

  /** Status and headers of an event stream, sent at once. */
  startStream(): void {
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache'
    });
    this.response.flushHeaders();
  }

  /** A whole response. */
  send(
    status: number,
    body: string | object,
    headers: Readonly<Record<string, string>> = {}
  ): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.response.writeHead(status, {
      'Content-Type': 'application/json',
      ...headers
    });
    this.response.end(text);
  }

  /** Write text in parts of `bytesPerWrite` bytes, each in a turn of its own; 0: in one. */
  async write(text: string, bytesPerWrite = 0): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    const size = bytesPerWrite || bytes.length;
    for (let i = 0; i < bytes.length && !this.closed; i += size) {
      this.response.write(bytes.subarray(i, i + size));
      if (bytesPerWrite) {
        await this.pause(1);
      }
    }
  }

  /** Wait `ms`, with a comment every `commentEveryMs`; shorter when the client goes. */
  async pause(ms: number, commentEveryMs = 0): Promise<void> {
    const end = Date.now() + ms;
    for (let left = ms; left > 0 && !this.closed; left = end - Date.now()) {
      const part = commentEveryMs ? Math.min(left, commentEveryMs) : left;
      // The longest delay a timer takes; "until the client goes" is Infinity.
      await wait(Math.min(part, 2 ** 31 - 1), undefined, {
        signal: this._closed.signal
      }).catch(() => undefined);
      if (commentEveryMs && !this.closed) {
        this.response.write(': keep-alive\n\n');
      }
    }
  }

  end(): void {
    this.response.end();
  }

  /** Drop the connection, as a crashed provider does. */
  reset(): void {
    this._reset = true;
    this.response.destroy();
  }

  private _reset = false;
  private readonly _closed = new AbortController();
}
