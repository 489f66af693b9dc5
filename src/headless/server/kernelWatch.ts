/** Notices that a kernel or its server is gone, which a websocket alone shows after minutes or never. */
import { KernelAPI, type ServerConnection } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';

const PAUSE_MS = 2000;
/** One lost answer is no dead server. */
const FAILURES = 3;
const ANSWER_LIMIT_MS = 5000;

/**
 * Whether the server has this kernel, and it lives.
 *
 * @throws when the server gives no answer, or another.
 */
export async function isAlive(
  id: string,
  settings: ServerConnection.ISettings
): Promise<boolean> {
  const model = await KernelAPI.getKernelModel(id, settings);
  return model !== undefined && model.execution_state !== 'dead';
}

/** Asks a given server for a kernel every two seconds. */
export class KernelWatch implements IDisposable {
  constructor(
    private readonly _settings: ServerConnection.ISettings,
    private readonly _id: string,
    private readonly _clock: IClock
  ) {
    void this._watch();
  }

  /** Aborted with a RefineError: code `kernel-dead`, or `unreachable` with the server's address. */
  get signal(): AbortSignal {
    return this._gone.signal;
  }

  get isDisposed(): boolean {
    return this._end.signal.aborted;
  }

  dispose(): void {
    this._end.abort();
  }

  private async _watch(): Promise<void> {
    let failures = 0;
    while (!this.isDisposed && failures < FAILURES) {
      try {
        await this._clock.sleep(PAUSE_MS, this._end.signal);
      } catch {
        return;
      }
      switch (await this._look()) {
        case 'alive':
          failures = 0;
          break;
        case 'gone':
          this._report('kernel-dead', 'The kernel died.');
          return;
        case 'failed':
          failures += 1;
      }
    }
    this._report(
      'unreachable',
      `The Jupyter server at ${this._settings.baseUrl} does not answer any more.`
    );
  }

  private async _look(): Promise<'alive' | 'gone' | 'failed'> {
    const limit = new AbortController();
    const alive = isAlive(this._id, this._settings);
    alive.catch(() => undefined);
    try {
      const found = await Promise.race([
        alive,
        this._clock.sleep(ANSWER_LIMIT_MS, limit.signal).then(() => {
          throw new Error('no answer');
        })
      ]);
      return found ? 'alive' : 'gone';
    } catch {
      return 'failed';
    } finally {
      limit.abort();
    }
  }

  private _report(code: 'kernel-dead' | 'unreachable', message: string): void {
    if (!this.isDisposed) {
      this._gone.abort(new RefineError('kernel', message, { code }));
    }
  }

  private readonly _gone = new AbortController();
  private readonly _end = new AbortController();
}
