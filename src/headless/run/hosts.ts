/** Where the cells of a notebook run for real, and its attempts apart: in a kernel of a Jupyter server, or in a warm process. */
import { dirname, relative, resolve, sep } from 'node:path';
import type { IDisposable } from '@lumino/disposable';
import { systemClock } from '../../core/clock';
import type { IExecutor } from '../../core/domain/executor';
import { RefineError } from '../../core/errors';
import type { OwnKernel, OwnProcess } from '../../kernel';
import { notebookLanguage, type NotebookContent } from '../../notebook';
import type { NotebookCommand } from '../cli/commands';
import type { IQuestions } from '../cli/questions';
import { onOneLine } from '../report/text';
import type { Progress } from '../report/progress';
import type { IJupyterServer } from '../server/jupyterServer';
import {
  chooseKernel,
  LiveKernel,
  type CellRun,
  type ICellRunner
} from '../server/liveKernel';
import { WarmKernel } from '../warm/warmKernel';
import type { WarmProcess } from '../warm/warmProcess';
import { allowWrites, isolatedExecutor } from './isolation';

export interface INotebookHost extends ICellRunner {
  /** In lower case. */
  readonly language: string;
  /** For attempts. @throws RefineError kind `kernel` when they have real effects that nobody allowed. */
  executor(): Promise<IExecutor & IDisposable>;
  /** A fresh process for repeats of a pass. */
  fresh(): Promise<OwnKernel | OwnProcess>;
  /** Why attempts need a kernel of a server now, as sentences; empty: they do not. */
  unfit(): Promise<string>;
  /** Why it cannot go on: a given server, or its kernel, is gone. Another can take its place after `kernel-dead`. */
  readonly lost: RefineError | null;
  end(): Promise<void>;
}

export type HostPorts = {
  readonly command: Pick<NotebookCommand, 'kernel' | 'options'>;
  /** Absolute paths of files that no attempt may read. */
  readonly hiddenFiles: readonly string[];
  readonly path: string;
  readonly notebook: NotebookContent;
  readonly progress: Progress;
  readonly questions: IQuestions;
  readonly signal: AbortSignal;
  /** Environment variables with keys. */
  readonly keyVariables?: readonly string[];
  /** True when attempts run what the user wrote: nobody is asked about its effects. */
  readonly isOwnCode?: boolean;
};

/** The kernel that a notebook names; null for none. */
export function kernelName(notebook: NotebookContent): string | null {
  const spec = notebook.metadata['kernelspec'];
  const name =
    typeof spec === 'object' && spec !== null
      ? (spec as Readonly<Record<string, unknown>>)['name']
      : null;
  return typeof name === 'string' && name ? onOneLine(name) : null;
}

export class KernelHost implements INotebookHost {
  /** Start the kernel and wait until it answers. */
  static async start(
    server: IJupyterServer,
    ports: HostPorts
  ): Promise<KernelHost> {
    const { command, notebook, path, progress, signal } = ports;
    signal.throwIfAborted();
    const wanted = command.kernel ?? kernelName(notebook);
    const { name, language } = await chooseKernel(
      server.settings,
      wanted,
      command.kernel === null ? notebookLanguage(notebook) : null
    );
    if (wanted !== null && name !== wanted) {
      progress.note(
        `  ${path}: there is no kernel ${wanted} here, so ${name} runs it. Choose one with --kernel.`
      );
    }
    progress.status(`starting the kernel ${name}`);
    const host = new KernelHost(server, ports, name);
    try {
      const kernel = await host._start();
      await kernel.ready(signal);
      const { language_info } = await kernel.connection.info;
      host.language =
        language_info.name.toLowerCase() || (language ?? 'python');
      return host;
    } catch (error) {
      const why = host.lost ?? error;
      await host.end();
      throw why;
    }
  }

  private constructor(
    private readonly _server: IJupyterServer,
    private readonly _ports: HostPorts,
    private readonly _name: string
  ) {}

  language = 'python';

  run(source: string, signal: AbortSignal): Promise<CellRun> {
    return this._kernels[0]!.run(source, signal);
  }

  executor(): Promise<IExecutor & IDisposable> {
    const { command, questions, signal, keyVariables, hiddenFiles } =
      this._ports;
    const { progress, isOwnCode } = this._ports;
    return isolatedExecutor(this._kernels[0]!.connection, command.options, {
      questions,
      signal,
      keyVariables,
      hiddenFiles,
      isOwnCode,
      onWaiting: reason => progress.status(reason ?? '')
    });
  }

  async fresh(): Promise<OwnKernel> {
    const kernel = await this._start();
    return {
      connection: kernel.connection,
      shutdown: () => kernel.shutdown()
    };
  }

  unfit(): Promise<string> {
    return Promise.resolve('');
  }

  get lost(): RefineError | null {
    return this._kernels[0]?.lost ?? null;
  }

  async end(): Promise<void> {
    // A kernel that is gone already is no error.
    await Promise.all(this._kernels.splice(0).map(kernel => kernel.shutdown()));
  }

  private async _start(): Promise<LiveKernel> {
    const { path, signal, progress } = this._ports;
    const { settings, root, kernelEnvironment } = this._server;
    const kernel = await LiveKernel.start(
      settings,
      {
        name: this._name,
        folder: folderOnServer(root, path),
        environment: kernelEnvironment,
        isWatched: root === null
      },
      {
        clock: systemClock,
        signal,
        onFull: reason =>
          progress.status(`waiting for a place on the server: ${reason}`)
      }
    );
    this._kernels.push(kernel);
    return kernel;
  }

  /** The notebook's first. */
  private readonly _kernels: LiveKernel[] = [];
}

/** A warm process has no other language. */
export class WarmHost implements INotebookHost {
  /** @param second - gives the process for repeats; null where there is none. */
  static async start(
    process: WarmProcess,
    second: () => Promise<WarmProcess | null>,
    ports: HostPorts
  ): Promise<WarmHost> {
    ports.signal.throwIfAborted();
    const host = new WarmHost(second, ports);
    host._kernel = await host._open(process);
    return host;
  }

  private constructor(
    private readonly _second: () => Promise<WarmProcess | null>,
    private readonly _ports: HostPorts
  ) {}

  readonly language = 'python';
  readonly lost = null;

  run(source: string, signal: AbortSignal): Promise<CellRun> {
    return this._kernel!.run(source, signal);
  }

  async executor(): Promise<IExecutor & IDisposable> {
    const { command } = this._ports;
    const isolation = await this._kernel!.isolation();
    await allowWrites(isolation, command.options, this._ports);
    if (command.options.confirmClean) {
      // It starts while the model writes.
      this._second().catch(() => undefined);
    }
    return this._kernel!.executor();
  }

  async fresh(): Promise<OwnProcess> {
    const process = await this._second();
    if (process === null) {
      throw new RefineError('kernel', 'No fresh kernel could be started.');
    }
    const kernel = await this._open(process);
    return {
      run: async (code, signal) => {
        const { error } = await kernel.run(code, signal);
        return error && `${error.name}: ${error.message}`;
      },
      executor: () => kernel.executor(),
      shutdown: () => kernel.shutdown()
    };
  }

  async unfit(): Promise<string> {
    const { mode, reasons } = await this._kernel!.isolation();
    return mode === 'fork' ? '' : reasons.join(' ');
  }

  async end(): Promise<void> {
    await this._kernel?.shutdown();
  }

  private _open(process: WarmProcess): Promise<WarmKernel> {
    const folder = dirname(resolve(this._ports.path));
    const { keyVariables = [], hiddenFiles } = this._ports;
    return WarmKernel.open(process, folder, { keyVariables, hiddenFiles });
  }

  private _kernel: WarmKernel | null = null;
}

/** The notebook's folder as the server names it, so that its relative paths work; null on a given server. */
function folderOnServer(root: string | null, path: string): string | null {
  return root === null
    ? null
    : relative(root, dirname(resolve(path)))
        .split(sep)
        .join('/');
}
