/** A kernel of the server's for one notebook, and running its cells for real. */
import {
  KernelAPI,
  KernelConnection,
  KernelSpecAPI,
  ServerConnection,
  type Kernel,
  type KernelMessage
} from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import { systemClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import { OutputCollector, type CellOutput } from './outputs';

export type CellRun = {
  readonly outputs: readonly CellOutput[];
  readonly executionCount: number | null;
  /** What the cell raised; null when it ran to its end. */
  readonly error: {
    readonly name: string;
    readonly message: string;
    readonly traceback: string;
  } | null;
};

/** Runs cells for real, with history and outputs, as a user would. */
export interface ICellRunner {
  /**
   * Aborting `signal` interrupts the cell.
   *
   * @throws RefineError kind `kernel` when the kernel dies, with code
   * `kernel-silent` when it does not start the cell; the signal's reason when aborted.
   */
  run(source: string, signal: AbortSignal): Promise<CellRun>;
}

/** How often the server is asked whether a kernel that has not answered yet is there. */
const START_POLL_MS = 1000;

/** How long a kernel with nothing to do may take to start a cell, ms. */
const SILENT_MS = 10000;

export type KernelOptions = {
  /** Name of a kernel specification; null: the server's default. */
  readonly name: string | null;
  /** Folder to start in, as the server's REST interface names it; null: the server's root. */
  readonly folder: string | null;
};

/** Language of a kernel specification in lower case; null when the server has no such one. */
export async function kernelLanguage(
  settings: ServerConnection.ISettings,
  name: string | null
): Promise<string | null> {
  const { kernelspecs, default: fallback } = await asked(settings, () =>
    KernelSpecAPI.getSpecs(settings)
  );
  const spec = kernelspecs[name ?? fallback];
  if (!spec) {
    const known = Object.keys(kernelspecs).sort().join(', ');
    throw new RefineError(
      'input',
      `There is no kernel ${name ?? fallback} on this server; it has ${known || 'none'}. Choose one with --kernel.`
    );
  }
  return spec.language ? spec.language.toLowerCase() : null;
}

/** A failed request as an error that names the server. */
async function asked<T>(
  settings: ServerConnection.ISettings,
  request: () => Promise<T>
): Promise<T> {
  try {
    return await request();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const refused =
      cause instanceof ServerConnection.ResponseError &&
      [401, 403].includes(cause.response.status);
    if (cause instanceof ServerConnection.NetworkError) {
      throw new RefineError(
        'kernel',
        `The Jupyter server at ${settings.baseUrl} cannot be reached: ${message}.`,
        { code: 'unreachable', cause }
      );
    }
    throw new RefineError(
      'kernel',
      refused
        ? `The Jupyter server at ${settings.baseUrl} refused the token (${cause.response.status}). Give a valid one with --token.`
        : `The Jupyter server at ${settings.baseUrl} reported an error: ${message}`,
      { cause }
    );
  }
}

export class LiveKernel implements ICellRunner {
  static async start(
    settings: ServerConnection.ISettings,
    options: KernelOptions
  ): Promise<LiveKernel> {
    const model = await asked(settings, () =>
      KernelAPI.startNew(
        {
          ...(options.name === null ? {} : { name: options.name }),
          ...(options.folder === null ? {} : { path: options.folder })
        },
        settings
      )
    );
    const kernel = new LiveKernel(
      settings,
      new KernelConnection({ model, serverSettings: settings })
    );
    return kernel;
  }

  private constructor(
    private readonly _settings: ServerConnection.ISettings,
    readonly connection: Kernel.IKernelConnection
  ) {}

  /** Resolves when the kernel answers; rejects when it dies first. */
  async ready(signal: AbortSignal): Promise<void> {
    const settled = new AbortController();
    try {
      await this._whileAlive(
        Promise.race([this.connection.info, this._gone(settled.signal)]),
        signal,
        () => undefined
      );
    } finally {
      settled.abort();
    }
  }

  /** Rejects when the server has no such kernel any more: of one that ends while it starts no message comes. */
  private async _gone(settled: AbortSignal): Promise<never> {
    const { id, name } = this.connection;
    for (;;) {
      await systemClock.sleep(START_POLL_MS, settled);
      // A server that does not answer now is asked again.
      const model = await KernelAPI.getKernelModel(id, this._settings).catch(
        () => null
      );
      if (model === undefined || model?.execution_state === 'dead') {
        throw new RefineError(
          'kernel',
          `The kernel ${name} ended while it was starting. Run \`jupyter kernel --kernel=${name}\` to see why.`,
          { code: 'kernel-dead' }
        );
      }
    }
  }

  async run(source: string, signal: AbortSignal): Promise<CellRun> {
    const collector = new OutputCollector();
    const future = this.connection.requestExecute({
      code: source,
      store_history: true,
      stop_on_error: true,
      allow_stdin: false
    });
    const watch = new SilenceWatch(this.connection);
    future.onIOPub = message => {
      watch.dispose();
      collector.add(message);
    };
    try {
      const reply = await this._whileAlive(
        Promise.race([future.done, watch.silence]),
        signal,
        () => {
          // A kernel that cannot be interrupted is shut down by the caller.
          this.connection.interrupt().catch(() => undefined);
        }
      );
      return {
        outputs: collector.outputs,
        executionCount: reply.content.execution_count,
        error: errorOf(reply)
      };
    } finally {
      watch.dispose();
      future.dispose();
    }
  }

  /** Shut the kernel down; one that is gone already is no error. */
  async shutdown(): Promise<void> {
    const { id } = this.connection;
    this.connection.dispose();
    await KernelAPI.shutdownKernel(id, this._settings).catch(() => undefined);
  }

  private _whileAlive<T>(
    promise: Promise<T>,
    signal: AbortSignal,
    onAbort: () => void
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const onStatus = (_: unknown, status: Kernel.Status) => {
        if (status === 'dead' || status === 'autorestarting') {
          end();
          reject(
            new RefineError('kernel', 'The kernel died.', {
              code: 'kernel-dead'
            })
          );
        }
      };
      const aborted = () => {
        end();
        onAbort();
        reject(signal.reason);
      };
      const end = () => {
        this.connection.statusChanged.disconnect(onStatus);
        signal.removeEventListener('abort', aborted);
      };
      if (signal.aborted) {
        promise.catch(() => undefined);
        aborted();
        return;
      }
      this.connection.statusChanged.connect(onStatus);
      signal.addEventListener('abort', aborted, { once: true });
      promise.then(resolve, reject).finally(end);
    });
  }
}

/**
 * Rejects when an idle kernel does not say within {@link SILENT_MS} that it has
 * started a request. A cell can leave a kernel that reads no message any more,
 * for example by replacing `json.JSONDecoder.decode`. Time without a connection does not count.
 */
class SilenceWatch implements IDisposable {
  constructor(private readonly _connection: Kernel.IKernelConnection) {
    // Nobody waits for it once the request has ended.
    this.silence.catch(() => undefined);
    this._start();
  }

  get isDisposed(): boolean {
    return this._timer === undefined;
  }

  dispose(): void {
    clearTimeout(this._timer);
    this._timer = undefined;
  }

  private _start(): void {
    this._timer = setTimeout(() => {
      if (this._connection.connectionStatus !== 'connected') {
        this._start();
        return;
      }
      this._reject(
        new RefineError(
          'kernel',
          'The kernel no longer answers requests: a cell that ran earlier has changed it.',
          { code: 'kernel-silent', numbers: { waitedMs: SILENT_MS } }
        )
      );
    }, SILENT_MS);
  }

  private _timer: ReturnType<typeof setTimeout> | undefined;
  private _reject: (reason: unknown) => void = () => undefined;
  readonly silence = new Promise<never>((_, reject) => {
    this._reject = reject;
  });
}

function errorOf(reply: KernelMessage.IExecuteReplyMsg): CellRun['error'] {
  const { content } = reply;
  return content.status === 'error'
    ? {
        name: content.ename,
        message: content.evalue,
        traceback: content.traceback.join('\n')
      }
    : null;
}
