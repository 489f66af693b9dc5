/** One worker of a benchmark: a warm process, in which each attempt is a fork with a namespace of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import type { ILanguageModel } from '../../core/domain/model';
import type { RefineOptions } from '../../core/options';
import type { CommandLinePorts } from '../cli/ports';
import { nobody } from '../cli/questions';
import { allowWrites } from '../run/isolation';
import { WarmExecutor } from '../warm/warmExecutor';
import { WarmProcess } from '../warm/warmProcess';
import type { TaskResult } from './results';
import { runTask, type TaskPorts } from './taskRun';
import type { Task } from './tasks';

export type WorkerOptions = {
  readonly kernel: string;
  readonly settings: RefineOptions;
  /** Files that no attempt may read: they hold solutions. */
  readonly hidden: readonly string[];
  /** First names of modules that the checks import. */
  readonly imports: readonly string[];
};

type Started = {
  readonly process: WarmProcess;
  readonly executor: WarmExecutor;
};

const usageSchema = z.object({ cpuSeconds: z.number() });

export class BenchWorker {
  constructor(
    private readonly _options: WorkerOptions,
    private readonly _ports: Pick<
      CommandLinePorts,
      'environment' | 'warmProgram' | 'signal'
    >
  ) {}

  /**
   * A process that is lost is replaced, and its task run once more.
   *
   * @throws RefineError where attempts cannot be isolated here, and when aborted.
   */
  async run(
    task: Task,
    model: () => ILanguageModel,
    settings: RefineOptions,
    ports: Omit<TaskPorts, 'executor' | 'signal'>
  ): Promise<TaskResult> {
    for (let isAgain = false; ; isAgain = true) {
      const { process, executor } = await this._current();
      const { signal } = this._ports;
      const before = await cpuSeconds(process);
      const result = await runTask(task, model(), settings, {
        ...ports,
        executor,
        signal
      });
      signal.throwIfAborted();
      if (!process.isLost || isAgain) {
        const after = await cpuSeconds(process);
        const cpuMs =
          before === null || after === null ? null : 1000 * (after - before);
        return { ...result, cpuMs };
      }
    }
  }

  async end(): Promise<void> {
    const started = await this._started?.catch(() => null);
    await started?.process.stop();
    rmSync(this._folder, { recursive: true, force: true });
  }

  private async _current(): Promise<Started> {
    const known = await this._started;
    if (known && !known.process.isLost) {
      return known;
    }
    this._started = this._start();
    return this._started;
  }

  private async _start(): Promise<Started> {
    const { kernel, settings, hidden, imports } = this._options;
    const { environment, warmProgram, signal } = this._ports;
    const process =
      warmProgram === null
        ? null
        : await WarmProcess.start(
            {
              python: environment['REFINE_PYTHON'] || 'python3',
              program: warmProgram,
              kernel,
              environment
            },
            signal
          );
    if (process === null) {
      throw new RefineError(
        'config',
        `bench runs attempts in forks of a Python process, and kernel ${kernel} cannot be forked here. It needs Linux and ipykernel in the Python of that kernel. Choose another one with --kernel.`
      );
    }
    try {
      await process.open(this._folder, imports);
      const executor = new WarmExecutor(
        process,
        settings.sessionTimeout,
        hidden.map(file => resolve(file)),
        this._folder,
        // The checks of tasks are not secret: one process reads them for all tasks.
        false
      );
      await executor.addAbove([], []);
      const isolation = await executor.prepare();
      await allowWrites(isolation, settings, { questions: nobody, signal });
      return { process, executor };
    } catch (error) {
      await process.stop();
      throw error;
    }
  }

  private _started: Promise<Started> | null = null;
  /** Where candidates run: an empty folder, whose files are gone after each attempt. */
  private readonly _folder = mkdtempSync(join(tmpdir(), 'refine-bench-'));
}

/** CPU time of all attempts that have ended; null where it is not known. */
async function cpuSeconds(process: WarmProcess): Promise<number | null> {
  const answer = await process.request({ op: 'usage' }).catch(() => null);
  return usageSchema.safeParse(answer).data?.cpuSeconds ?? null;
}
