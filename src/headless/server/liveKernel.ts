/** A kernel of the server's for one notebook, and running its cells for real. */
import {
  KernelConnection,
  KernelSpecAPI,
  type ServerConnection,
  type Kernel,
  type KernelMessage
} from '@jupyterlab/services';
import type { IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import { untilAborted } from '../../core/session/abort';
import {
  kernelDied,
  removeKernel,
  startKernel,
  watchKernel,
  type KernelOptions,
  type WaitingPorts
} from './kernelStart';
import { asked } from './requests';
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
   * @throws RefineError kind `kernel` when the kernel dies; the signal's reason when aborted.
   */
  run(source: string, signal: AbortSignal): Promise<CellRun>;
}

export type ChosenKernel = {
  readonly name: string;
  /** In lower case; null where its specification names none. */
  readonly language: string | null;
};

/**
 * The kernel specification of that name, or the server's default.
 *
 * @param otherwise - language of a kernel that may take the place of one that is not there, as in JupyterLab; null: none may.
 * @throws RefineError kind `input` when the server has neither.
 */
export async function chooseKernel(
  settings: ServerConnection.ISettings,
  name: string | null,
  otherwise: string | null
): Promise<ChosenKernel> {
  const { kernelspecs, default: fallback } = await asked(settings, () =>
    KernelSpecAPI.getSpecs(settings)
  );
  const languageOf = (known: string) =>
    kernelspecs[known]?.language.toLowerCase() || null;
  const wanted = name ?? fallback;
  const known = Object.keys(kernelspecs).sort();
  const found = kernelspecs[wanted]
    ? wanted
    : [fallback, ...known].find(
        other => otherwise !== null && languageOf(other) === otherwise
      );
  if (found === undefined) {
    throw new RefineError(
      'input',
      `There is no kernel ${wanted} on this server; it has ${known.join(', ') || 'none'}. Choose one with --kernel.`
    );
  }
  return { name: found, language: languageOf(found) };
}

/** How long the removal of a kernel may take: a server that does not answer is left alone. */
const REMOVE_LIMIT_MS = 10_000;

export class LiveKernel implements ICellRunner {
  /** @throws RefineError kind `kernel` when the server starts none. */
  static async start(
    settings: ServerConnection.ISettings,
    options: KernelOptions,
    ports: WaitingPorts
  ): Promise<LiveKernel> {
    const model = await startKernel(settings, options, ports);
    return new LiveKernel(
      settings,
      new KernelConnection({ model, serverSettings: settings }),
      ports.clock,
      options.isWatched === true
    );
  }

  private constructor(
    private readonly _settings: ServerConnection.ISettings,
    readonly connection: Kernel.IKernelConnection,
    private readonly _clock: IClock,
    private readonly _isWatched: boolean
  ) {
    connection.statusChanged.connect((_, status) => {
      // The server restarts a kernel that died, without what it held.
      if (status === 'dead' || status === 'autorestarting') {
        this._onGone(kernelDied());
      }
    });
    if (_isWatched) {
      const { signal } = this._end;
      watchKernel(connection.id, _settings, _clock, signal).then(
        why => {
          this._onGone(why);
          // All that waits for the kernel ends with its connection.
          connection.dispose();
        },
        () => undefined
      );
    }
  }

  /** Why it cannot go on, if a given server or the kernel there is gone. */
  get lost(): RefineError | null {
    const { aborted, reason } = this._gone.signal;
    return this._isWatched && aborted ? (reason as RefineError) : null;
  }

  /** Resolves when the kernel answers; rejects when it dies first. */
  async ready(signal: AbortSignal): Promise<void> {
    const { id, name, info } = this.connection;
    const settled = new AbortController();
    // Of one that ends while it starts no message comes.
    const ended = watchKernel(id, this._settings, this._clock, settled.signal);
    const gone = ended.then(why => {
      throw why.code === 'kernel-dead'
        ? new RefineError(
            'kernel',
            `The kernel ${name} ended while it was starting. Run \`jupyter kernel --kernel=${name}\` to see why.`,
            { code: 'kernel-dead' }
          )
        : why;
    });
    try {
      await this._whileAlive(Promise.race([info, gone]), signal);
    } finally {
      settled.abort();
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
    future.onIOPub = message => collector.add(message);
    try {
      const reply = await this._whileAlive(future.done, signal);
      return {
        outputs: collector.outputs,
        executionCount: reply.content.execution_count,
        error: errorOf(reply)
      };
    } catch (error) {
      if (signal.aborted) {
        // A kernel that cannot be interrupted is shut down by the caller.
        this.connection.interrupt().catch(() => undefined);
      }
      throw error;
    } finally {
      future.dispose();
    }
  }

  /** Shut the kernel down; one that is gone already is no error, nor is a server that is. */
  async shutdown(): Promise<void> {
    const { id } = this.connection;
    const mayReturn = this.lost?.code === 'kernel-dead';
    this._end.abort();
    this.connection.dispose();
    const limit = AbortSignal.timeout(REMOVE_LIMIT_MS);
    const removed = removeKernel(
      id,
      this._settings,
      this._clock,
      mayReturn,
      limit
    );
    await untilAborted(removed, limit).catch(() => undefined);
  }

  private _whileAlive<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
    return untilAborted(promise, AbortSignal.any([signal, this._gone.signal]));
  }

  private _onGone(why: RefineError): void {
    if (!this._end.signal.aborted) {
      this._gone.abort(why);
    }
  }

  /** Aborted with the reason when the kernel or its server is gone. */
  private readonly _gone = new AbortController();
  private readonly _end = new AbortController();
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
