/** Where the notebooks of a `check` run: in warm processes, or in kernels of a Jupyter server where those cannot. */
import {
  cellsFromNotebook,
  CellTags,
  hasTag,
  holdsHiddenData
} from '../../notebook';
import type { CheckCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import type { IJupyterServer } from '../server/jupyterServer';
import { WarmProcess } from '../warm/warmProcess';
import {
  kernelName,
  runNotebook,
  type GivenNotebook,
  type NotebookPorts,
  type NotebookRunResult
} from './notebookRun';
import { checkInWarm } from './warmRun';

export type RoadPorts = Omit<NotebookPorts, 'server'> &
  Pick<CommandLinePorts, 'environment' | 'warmProgram'>;

/** The Jupyter server of the command, started when the first notebook needs it. */
export interface ILazyServer {
  get(): Promise<IJupyterServer>;
}

/** The name that Jupyter takes where a notebook has none. */
const DEFAULT_KERNEL = 'python3';

/** One worker: it checks a notebook at a time, and keeps its processes for the next. */
export class CheckWorker {
  constructor(
    private readonly _command: CheckCommand,
    private readonly _server: ILazyServer
  ) {}

  /** Never rejects for what a notebook does. */
  async check(
    path: string,
    given: GivenNotebook,
    ports: RoadPorts
  ): Promise<NotebookRunResult> {
    const warm = await this._warmFor(given, ports);
    if (warm === null && this._isIsolating) {
      ports.progress.warn(
        `${path} runs in a kernel, its cells above the targets for real: ${
          needsKernel(given)
            ? 'it has a scorer or hidden data.'
            : 'its kernel needs a Jupyter server.'
        }`
      );
    }
    return warm === null
      ? runNotebook(this._command, path, given, {
          ...ports,
          server: await this._server.get()
        })
      : checkInWarm(this._command, path, given, warm, ports);
  }

  /** Start what the first notebook will need, while the others are read. */
  prepare(given: GivenNotebook, ports: RoadPorts): void {
    this._warmFor(given, ports).catch(() => undefined);
  }

  async end(): Promise<void> {
    const started = await Promise.allSettled(this._started.values());
    await Promise.all(
      started.map(one =>
        one.status === 'fulfilled' ? one.value?.stop() : undefined
      )
    );
  }

  /** Null where the notebook needs a kernel. */
  private async _warmFor(
    given: GivenNotebook,
    { environment, warmProgram, signal }: RoadPorts
  ): Promise<WarmProcess | null> {
    const { kernel } = this._command;
    if (warmProgram === null || !this._isIsolating || needsKernel(given)) {
      return null;
    }
    const name = kernel ?? kernelName(given.notebook) ?? DEFAULT_KERNEL;
    const known = await this._started.get(name);
    if (known === null || known?.isLost === false) {
      return known;
    }
    const starting = WarmProcess.start(
      {
        python: environment['REFINE_PYTHON'] || 'python3',
        program: warmProgram,
        kernel: name,
        environment
      },
      signal
    );
    this._started.set(name, starting);
    return starting;
  }

  /** Whether the command itself asks for no kernel. */
  private get _isIsolating(): boolean {
    const { server, options } = this._command;
    const { isolation, confirmClean } = options;
    return (
      server === null &&
      !confirmClean &&
      (isolation === 'auto' || isolation === 'fork')
    );
  }

  /** By name of the kernel; null where it needs a Jupyter server. */
  private readonly _started = new Map<string, Promise<WarmProcess | null>>();
}

/** True where a scorer needs values of the cells above in a process that never ran them. */
function needsKernel({ notebook }: GivenNotebook): boolean {
  return cellsFromNotebook(notebook).some(
    cell => hasTag(cell, CellTags.scorer) || holdsHiddenData(cell)
  );
}
