/** What the scripted server saw. */

/** One request, as `GET /__requests` returns it. */
export type RequestRecord = {
  /** From 0, since the last reset. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; null without one or when it is not JSON. */
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Position of the answer in the script; null for none. */
  readonly answer: number | null;
  /** 0 until one is sent. */
  readonly status: number;
  readonly tokensSent: number;
  /** `open` while it is answered; `aborted` when the client went first. */
  readonly state: 'open' | 'done' | 'aborted';
  /** When it left `open`, milliseconds since the epoch. */
  readonly endedAt: number | null;
};

type Waiter = {
  readonly check: () => boolean;
  readonly resolve: () => void;
};

/** Records requests and lets a test wait for what happens to them. */
export class RequestLog {
  get records(): readonly RequestRecord[] {
    return this._records;
  }

  add(
    fields: Pick<RequestRecord, 'method' | 'path' | 'headers' | 'body'>
  ): number {
    const index = this._records.length;
    this._records.push({
      ...fields,
      index,
      at: Date.now(),
      answer: null,
      status: 0,
      tokensSent: 0,
      state: 'open',
      endedAt: null
    });
    this._changed();
    return index;
  }

  /** Change one record; without effect for a record from before a reset. */
  update(
    index: number,
    change: Partial<RequestRecord>,
    generation = this.generation
  ): void {
    const record = this._records[index];
    if (record && generation === this.generation) {
      this._records[index] = { ...record, ...change };
      this._changed();
    }
  }

  /** Number of resets so far. */
  get generation(): number {
    return this._generation;
  }

  reset(): void {
    this._records = [];
    this._generation += 1;
  }

  /**
   * Resolves as soon as `check` holds for the records.
   *
   * @throws Error after `timeoutMs`.
   */
  until(
    check: (records: readonly RequestRecord[]) => boolean,
    timeoutMs = 5000
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        check: () => check(this._records),
        resolve: () => {
          clearTimeout(timer);
          resolve();
        }
      };
      const timer = setTimeout(() => {
        this._waiters.delete(waiter);
        reject(
          new Error(
            `Not seen within ${timeoutMs} ms. Requests: ${JSON.stringify(this._records)}`
          )
        );
      }, timeoutMs);
      this._waiters.add(waiter);
      this._changed();
    });
  }

  private _changed(): void {
    for (const waiter of [...this._waiters]) {
      if (waiter.check()) {
        this._waiters.delete(waiter);
        waiter.resolve();
      }
    }
  }

  private _records: RequestRecord[] = [];
  private _generation = 0;
  private readonly _waiters = new Set<Waiter>();
}
