/** A copy of the warm process in the place of a kernel: it runs the cells above for real, and attempts in forks of itself. */
import type { IDisposable } from '@lumino/disposable';
import * as z from 'zod';
import { untilAborted } from '../../core/session/abort';
import { RefineError } from '../../core/errors';
import type { Isolation } from '../../core/domain/execution';
import type { IExecutor, WarmJob } from '../../core/domain/executor';
import type { ContextValues } from '../../core/options';
import type { VariableInfo } from '../../core/domain/request';
import {
  helloSchema,
  inspectSchema,
  parseAnswer,
  prepareSchema
} from '../../kernel/schema';
import { forSpare } from '../../kernel/harness';
import type { CellRun, ICellRunner } from '../server/liveKernel';
import { OutputCollector } from '../server/outputs';
import { WarmExecutor } from './warmExecutor';
import type { WarmProcess } from './warmProcess';

const ranSchema = z.object({
  messages: z.array(
    z.object({ type: z.string(), content: z.record(z.string(), z.unknown()) })
  ),
  executionCount: z.number(),
  error: z
    .object({ name: z.string(), message: z.string(), traceback: z.string() })
    .nullable()
});

/** Environment variables with keys, and absolute paths of files. */
export type HiddenFromAttempts = {
  readonly keyVariables: readonly string[];
  readonly hiddenFiles: readonly string[];
};

export class WarmKernel implements ICellRunner {
  private constructor(
    private readonly _process: WarmProcess,
    private readonly _hidden: HiddenFromAttempts
  ) {}

  /** Fork it. Only one lives in a process at a time. */
  static async open(
    process: WarmProcess,
    folder: string,
    hidden: HiddenFromAttempts
  ): Promise<WarmKernel> {
    // Nothing is imported ahead: a module would be there that the notebook has not imported.
    await process.open(folder, [], true);
    return new WarmKernel(process, hidden);
  }

  async run(source: string, signal: AbortSignal): Promise<CellRun> {
    signal.throwIfAborted();
    const interrupt = () => this._process.interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    try {
      const request = this._process.request({ op: 'run', source });
      const answer = await untilAborted(request, signal);
      // Not without nulls, as other answers: outputs are stored as they are.
      const { messages, executionCount, error } = ranSchema.parse(answer);
      const collector = new OutputCollector();
      messages.forEach(({ type, content }) =>
        collector.add({ header: { msg_type: type }, content } as never)
      );
      return { outputs: collector.outputs, executionCount, error };
    } catch (error) {
      if (error instanceof RefineError && error.code === 'kernel-dead') {
        throw new RefineError('kernel', 'The kernel died.', {
          code: 'kernel-dead',
          cause: error
        });
      }
      throw error;
    } finally {
      signal.removeEventListener('abort', interrupt);
    }
  }

  /** How attempts can be isolated now: what the cells have started may forbid a fork. */
  async isolation(): Promise<Isolation> {
    const answer = await this._process.request({
      op: 'hello',
      ...this._hidden
    });
    return parseAnswer(helloSchema, 'hello', answer).isolation;
  }

  /** For attempts in forks of this process. */
  executor(): IExecutor & IDisposable {
    return new ForkingExecutor(this._process, this);
  }

  /** End it, with what its cells have started. */
  shutdown(): Promise<void> {
    return this._process.close();
  }
}

class ForkingExecutor extends WarmExecutor implements IDisposable {
  constructor(
    process: WarmProcess,
    private readonly _kernel: WarmKernel
  ) {
    // No cells above are added: the process has run them. As in a kernel, hold-outs and
    // scorers reach only the judge, which is forked before they come.
    super(process, 0, [], '', false);
  }

  readonly isDisposed = false;

  dispose(): void {
    // The process is ended by its owner.
  }

  override async prepare(): Promise<Isolation> {
    const isolation = await this._kernel.isolation();
    if (isolation.mode !== 'fork') {
      throw new RefineError(
        'kernel',
        `Attempts cannot run in a fork: ${isolation.reasons.join(' ')}`,
        { code: 'kernel-refused' }
      );
    }
    return isolation;
  }

  override async inspect(
    names: readonly string[],
    values: ContextValues
  ): Promise<readonly VariableInfo[]> {
    const request = { op: 'inspect', names, values };
    const answer = await this.process.request(request);
    return parseAnswer(inspectSchema, 'inspect', answer).variables;
  }

  /** Fork a spare while the candidate is still being written. */
  async warm(job: WarmJob): Promise<boolean> {
    try {
      const answer = await this.process.request(forSpare(job));
      return parseAnswer(prepareSchema, 'prepare', answer).state === 'ready';
    } catch {
      // The run reports what is wrong.
      return false;
    }
  }
}
