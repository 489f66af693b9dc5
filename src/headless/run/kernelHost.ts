/** The kernel of a notebook: the cells above run in it once, for real, and attempts apart. */
import { dirname, relative, resolve, sep } from 'node:path';
import type { IDisposable } from '@lumino/disposable';
import type { IExecutor } from '../../core/domain/executor';
import type { Target } from '../../core/domain/request';
import { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/settings';
import { createExecutor } from '../../kernel/create';
import {
  notebookLanguage,
  type NotebookCell,
  type NotebookContent,
  cellsAbove,
  type CellAbove
} from '../../notebook';
import type { NotebookCommand } from '../cli/commands';
import { filesOfChecks } from '../files/notebookFile';
import { onOneLine, errorText, printable } from '../report/screen';
import { cellLabel, type TargetResult } from '../report/results';
import type { IJupyterServer } from '../server/jupyterServer';
import {
  chooseKernel,
  LiveKernel,
  startKernel,
  type CellRun
} from '../server/liveKernel';
import { type FinishedSession, type IPlace, type NotebookPorts } from './place';
import { bestAttempt, resultOf } from './target/targetResult';
import { plannedTests, testResults, type TestResults } from './testCells';

/** The kernel that a notebook names; null for none. */
export function kernelName(notebook: NotebookContent): string | null {
  const spec = notebook.metadata['kernelspec'] as
    { readonly name?: unknown } | null | undefined;
  return typeof spec?.name === 'string' && spec.name
    ? onOneLine(spec.name)
    : null;
}

export class KernelHost implements IPlace {
  /** Start the kernel and wait until it answers. */
  static async start(
    server: IJupyterServer,
    command: NotebookCommand,
    path: string,
    notebook: NotebookContent,
    ports: NotebookPorts
  ): Promise<KernelHost> {
    const { progress, signal } = ports;
    signal.throwIfAborted();
    const wanted = command.kernel ?? kernelName(notebook);
    const { name, language } = await chooseKernel(
      server.settings,
      wanted,
      command.kernel === null ? notebookLanguage(notebook) : null,
      server.root !== null
    );
    if (wanted !== null && name !== wanted) {
      progress.note(
        `  ${path}: there is no kernel ${wanted} here, so ${name} runs it. Choose one with --kernel.`
      );
    }
    progress.status(`starting the kernel ${name}`);
    const host = new KernelHost(server, name, command, path, ports);
    try {
      const kernel = await host.fresh();
      host.language = (await kernel.ready(signal)) || (language ?? 'python');
      return host;
    } catch (error) {
      await host.end();
      throw error;
    }
  }

  private constructor(
    private readonly _server: IJupyterServer,
    private readonly _name: string,
    private readonly _command: NotebookCommand,
    private readonly _path: string,
    private readonly _ports: NotebookPorts
  ) {
    this.settings = _command.options;
  }

  readonly resultOf = resultOf;
  /** In lower case. */
  language = 'python';
  readonly settings: RefineOptions;

  /** The cell was run for real already: it is not run again. */
  markRun(cellId: string): void {
    this._run.add(cellId);
  }

  /** It is neither run nor waited for, in whatever kernel, because nobody allowed it. */
  leaveOut(cellId: string): void {
    this._run.add(cellId);
    this._leftOut.add(cellId);
  }

  /** What this cell raises, here or when it is repeated, is a reported outcome, not bad input. */
  tolerate(cellId: string): void {
    this._tolerated.add(cellId);
  }

  /** For a fresh kernel: what stands above the target. */
  cellsToRepeat(target: Target, cells: readonly NotebookCell[]) {
    return cellsAbove(cells, target.index, this.language)
      .filter(({ id }) => !this._leftOut.has(id))
      .map(({ id, index, source, skip, mayFail }) => ({
        id,
        label: cellLabel({ index, cellId: id }),
        source,
        skip,
        tolerated: mayFail || this._tolerated.has(id)
      }));
  }

  async runAbove(
    target: Target,
    cells: readonly NotebookCell[]
  ): Promise<void> {
    for (const cell of cellsAbove(cells, target.index, this.language)) {
      if (!this._run.has(cell.id)) {
        this._run.add(cell.id);
        await this._runAbove(cell);
      }
    }
  }

  private async _runAbove(cell: CellAbove): Promise<void> {
    const { _path: path } = this;
    const { progress, signal } = this._ports;
    const seconds = this.settings.sessionTimeout;
    const label = cellLabel({ index: cell.index, cellId: cell.id });
    progress.status(`running ${label}`);
    signal.throwIfAborted();
    const limit = AbortSignal.timeout(seconds * 1000);
    const { error } = await this.run(
      cell.source,
      AbortSignal.any([signal, limit])
    ).catch((cause: unknown) => {
      throw cause === limit.reason
        ? new RefineError(
            'input',
            `${path} ${label}, above the target, ran longer than ${seconds} s (--session-timeout).`
          )
        : cause;
    });
    if (error === null) {
      return;
    }
    const what = errorText(error);
    if (this._command.command === 'check') {
      // As in nbgrader: a student's scratch cell may raise.
      this.tolerate(cell.id);
    }
    if (cell.mayFail || this._tolerated.has(cell.id)) {
      progress.note(`  ${path} ${label}: ${what}`);
      return;
    }
    throw new RefineError(
      'input',
      `${path} ${label}, above the target, failed: ${what}. To go on after its error, tag the cell raises-exception or refine-skip.\n${printable(error.traceback)}`
    );
  }

  async tests(
    target: Target,
    { request, state }: FinishedSession,
    _: TargetResult,
    cells: readonly NotebookCell[]
  ): TestResults {
    const { signal } = this._ports;
    const execution = bestAttempt(state)?.execution;
    return execution
      ? testResults(cells, request, execution, this._executor!, signal)
      : plannedTests(cells, target, this.language);
  }

  run(source: string, signal: AbortSignal): Promise<CellRun> {
    return this._kernels[0]!.run(source, signal);
  }

  /** For attempts. */
  async executor(): Promise<IExecutor> {
    const { _command: command, _path: path } = this;
    const { signal, keyVariables, progress } = this._ports;
    this._executor = await createExecutor(this._kernels[0]!.connection, {
      isolation: command.options.isolation,
      allowLive: () => Promise.resolve(false),
      signal,
      keyVariables,
      hiddenFiles: filesOfChecks(command, path),
      onWaiting: reason => progress.status(reason ?? '')
    });
    return this._executor;
  }

  /** Why it cannot go on: the kernel, or its server, is gone. */
  get lost(): RefineError | null {
    return this._kernels[0]?.lost ?? null;
  }

  async end(): Promise<void> {
    this._executor?.dispose();
    // A kernel that is gone already is no error.
    await Promise.all(this._kernels.splice(0).map(kernel => kernel.shutdown()));
  }

  /** The notebook's kernel, or one more for repeats of a pass. */
  async fresh(): Promise<LiveKernel> {
    const { signal, progress } = this._ports;
    const { settings, root, kernelEnvironment: env } = this._server;
    // As the server names the folder, so that the notebook's relative paths work.
    const folder = root && relative(root, dirname(resolve(this._path)));
    const path = folder?.split(sep).join('/');
    const model = await startKernel(
      settings,
      { name: this._name, path, env },
      reason => progress.status(`waiting for a place on the server: ${reason}`),
      signal
    );
    const kernel = new LiveKernel(settings, model);
    this._kernels.push(kernel);
    return kernel;
  }

  private _executor: (IExecutor & IDisposable) | null = null;
  /** The notebook's first. */
  private readonly _kernels: LiveKernel[] = [];
  /** Ids of cells. */
  private readonly _run = new Set<string>();
  private readonly _tolerated = new Set<string>();
  private readonly _leftOut = new Set<string>();
}
