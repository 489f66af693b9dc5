/** Where the notebooks of a command run: in warm processes, or in kernels of a Jupyter server where those cannot. */
import {
  cellsFromNotebook,
  CellTags,
  hasTag,
  holdsHiddenData
} from '../../notebook';
import type { CheckCommand, RunCommand } from '../cli/commands';
import type { LazyServer } from '../server/lazyServer';
import { WarmProcesses, type WarmPorts } from '../warm/warmProcesses';
import { KernelHost, kernelName, WarmHost, type HostPorts } from './hosts';
import {
  runNotebook,
  type GivenNotebook,
  type NotebookPorts,
  type NotebookRunResult
} from './notebookRun';
import { filesOfChecks } from './filesOfChecks';
import { checkInWarm } from './warmRun';

export type WorkerPorts = Omit<NotebookPorts, 'kernel' | 'warm'>;

/** One worker of a check: it checks a notebook at a time, and keeps its processes for the next. */
export class CheckWorker {
  constructor(
    private readonly _command: CheckCommand,
    private readonly _server: LazyServer,
    ports: WarmPorts
  ) {
    this._processes = new WarmProcesses(ports);
  }

  /** Never rejects for what a notebook does. */
  async check(
    path: string,
    given: GivenNotebook,
    ports: WorkerPorts
  ): Promise<NotebookRunResult> {
    const mayBeWarm = isIsolating(this._command) && !this._confirms;
    const warm =
      mayBeWarm && !needsValues(given)
        ? await this._processes.get(nameOf(this._command, given))
        : null;
    if (warm !== null) {
      return checkInWarm(this._command, path, given, warm, ports);
    }
    return runNotebook(this._command, path, given, {
      ...ports,
      kernel: async () => {
        const host = await KernelHost.start(
          await this._server.get(),
          hostPorts(this._command, path, given, ports)
        );
        if (mayBeWarm) {
          // Only now, since the kernel may not exist.
          ports.progress.warn(
            `${path} runs in a kernel, its cells above the targets for real: ${
              needsValues(given)
                ? 'it has a scorer or hidden data.'
                : 'its kernel needs a Jupyter server.'
            }`
          );
        }
        return host;
      }
    });
  }

  end(): Promise<void> {
    return this._processes.end();
  }

  private get _confirms(): boolean {
    return this._command.options.confirmClean;
  }

  private readonly _processes: WarmProcesses;
}

/** One worker of a run, as that of a check. */
export class RunWorker {
  constructor(
    private readonly _server: LazyServer,
    ports: WarmPorts
  ) {
    this._processes = new WarmProcesses(ports);
  }

  /** Start what this notebook will need, while the models are looked up. */
  prepare(command: RunCommand, given: GivenNotebook): void {
    if (isIsolating(command)) {
      this._processes.get(nameOf(command, given)).catch(() => undefined);
    }
  }

  /** Never rejects for what a notebook does. @param command - with the options that are allowed. */
  run(
    command: RunCommand,
    path: string,
    given: GivenNotebook,
    ports: WorkerPorts
  ): Promise<NotebookRunResult> {
    const host = hostPorts(command, path, given, ports);
    const process = (use: 'notebook' | 'fresh') =>
      this._processes.get(nameOf(command, given), use);
    return runNotebook(command, path, given, {
      ...ports,
      kernel: async () => KernelHost.start(await this._server.get(), host),
      warm: async () => {
        const warm = isIsolating(command) ? await process('notebook') : null;
        return warm && WarmHost.start(warm, () => process('fresh'), host);
      }
    });
  }

  end(): Promise<void> {
    return this._processes.end();
  }

  private readonly _processes: WarmProcesses;
}

function hostPorts(
  command: RunCommand | CheckCommand,
  path: string,
  { notebook }: GivenNotebook,
  ports: WorkerPorts
): HostPorts {
  const hiddenFiles = filesOfChecks(command, path);
  // With the tests of another notebook the code may be anybody's.
  const isOwnCode = command.command === 'check' && command.tests === null;
  return { ...ports, command, path, notebook, hiddenFiles, isOwnCode };
}

function nameOf(
  command: RunCommand | CheckCommand,
  { notebook }: GivenNotebook
): string | null {
  return command.kernel ?? kernelName(notebook);
}

/** Whether the command itself asks for no kernel of a server. */
function isIsolating({ server, options }: RunCommand | CheckCommand): boolean {
  const { isolation } = options;
  return server === null && (isolation === 'auto' || isolation === 'fork');
}

/** True where a scorer needs values of the cells above in a process that never ran them. */
function needsValues({ notebook }: GivenNotebook): boolean {
  return cellsFromNotebook(notebook).some(
    cell => hasTag(cell, CellTags.scorer) || holdsHiddenData(cell)
  );
}
