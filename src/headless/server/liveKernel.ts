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
  removeKernel,
  startKernel,
  type KernelOptions,
  type WaitingPorts
} from './kernelStart';
import { isAlive, KernelWatch } from './kernelWatch';
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

/** How often the server is asked whether a kernel that has not answered yet is there. */
const START_POLL_MS = 1000;

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

export class LiveKernel implements ICellRunner {
  /** @throws RefineError kind `kernel` when the server starts none. */
  static async start(
    settings: ServerConnection.ISettings,
    options: KernelOptions,
    ports: WaitingPorts
  ): Promise<LiveKernel> {
    const model = await startKernel(settings, options, ports);
    const { clock } = ports;
    return new LiveKernel(
      settings,
      new KernelConnection({ model, serverSettings: settings }),
      clock,
      options.isWatched ? new KernelWatch(settings, model.id, clock) : null
    );
  }

  private constructor(
    private readonly _settings: ServerConnection.ISettings,
    readonly connection: Kernel.IKernelConnection,
    private readonly _clock: IClock,
    private readonly _watch: KernelWatch | null
  ) {
    connection.statusChanged.connect((_, status) => {
      this._died ||= isDead(status) && !connection.isDisposed;
    });
    // All that waits for the kernel ends with its connection.
    _watch?.signal.addEventListener('abort', () => connection.dispose());
  }

  /** Why it cannot go on, if a given server or the kernel there is gone. */
  get lost(): RefineError | null {
    const gone = this._watch?.signal;
    if (gone?.aborted) {
      return gone.reason as RefineError;
    }
    return this._watch && this._died ? kernelDied() : null;
  }

  /** Resolves when the kernel answers; rejects when it dies first. */
  async ready(signal: AbortSignal): Promise<void> {
    const settled = new AbortController();
    try {
      await this._whileAlive(
        Promise.race([this.connection.info, this._gone(settled.signal)]),
        signal
      );
    } finally {
      settled.abort();
    }
  }

  /** Rejects when the server has no such kernel any more: of one that ends while it starts no message comes. */
  private async _gone(settled: AbortSignal): Promise<never> {
    const { id, name } = this.connection;
    for (;;) {
      await this._clock.sleep(START_POLL_MS, settled);
      // A server that does not answer now is asked again.
      if (!(await isAlive(id, this._settings).catch(() => true))) {
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
    this._watch?.dispose();
    this.connection.dispose();
    await removeKernel(id, this._settings, this._clock, mayReturn);
  }

  private async _whileAlive<T>(
    promise: Promise<T>,
    signal: AbortSignal
  ): Promise<T> {
    const died = new AbortController();
    const onStatus = (_: unknown, status: Kernel.Status) => {
      if (isDead(status)) {
        died.abort(kernelDied());
      }
    };
    this.connection.statusChanged.connect(onStatus);
    try {
      const ended = AbortSignal.any([signal, died.signal]);
      return await untilAborted(promise, ended);
    } finally {
      this.connection.statusChanged.disconnect(onStatus);
    }
  }

  private _died = false;
}

function kernelDied(): RefineError {
  return new RefineError('kernel', 'The kernel died.', { code: 'kernel-dead' });
}

/** The server restarts a kernel that died, without what it held. */
function isDead(status: Kernel.Status): boolean {
  return status === 'dead' || status === 'autorestarting';
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
