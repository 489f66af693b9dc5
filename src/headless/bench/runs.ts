/** All tasks, for each value of a sweep, by the workers; finished ones are kept for `--resume`. */
import type { ILanguageModel, ModelIdentity } from '../../core/domain/model';
import type { RefineOptions } from '../../core/options';
import type { BenchCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import type { IEventSink } from '../files/eventFile';
import {
  keyOf,
  nothingFinished,
  openFinished,
  type FinishedKind,
  type IFinished
} from '../files/finished';
import { Progress } from '../report/progress';
import { noScreen, type IScreen } from '../report/screen';
import { inOrder } from '../run/inOrder';
import { taskResultSchema, type BenchRun, type TaskResult } from './results';
import type { Task } from './tasks';
import { BenchWorker } from './worker';

/** Of a kept result: one of another form is not used. */
const FORMAT = 1;
const DEFAULT_KERNEL = 'python3';
/** Lines of progress for a log. */
const LOG_LINES = 10;

const FINISHED_TASK: FinishedKind<TaskResult> = {
  isResult: (value): value is TaskResult =>
    taskResultSchema.safeParse(value).success,
  isFinal: ({ error }) => error === null
};

/** Where the programs of a benchmark come from. */
export type Source = {
  readonly identity: ModelIdentity;
  /** The model for one session of this task; null: it has no answer. */
  readonly modelFor: (task: Task) => ILanguageModel | null;
  /** Recorded programs of a task, in order; null with a model. */
  readonly answersOf: (task: Task) => readonly string[] | null;
};

export type RunPorts = CommandLinePorts & {
  readonly screen: IScreen;
  readonly events: IEventSink;
};

/** What is done when the signal aborts is part of the result. */
export async function runAll(
  command: BenchCommand,
  tasks: readonly Task[],
  source: Source,
  ports: RunPorts
): Promise<readonly BenchRun[]> {
  const { files, recorded, resume, events, outputDir, options } = command;
  const finished: IFinished<TaskResult> =
    resume === null ? nothingFinished : openFinished(resume, FINISHED_TASK);
  const hidden = [...files, recorded, resume, events, outputDir].filter(
    file => file !== null
  );
  const workers = Array.from(
    { length: Math.min(command.workers, tasks.length) },
    () =>
      new BenchWorker(
        {
          kernel: command.kernel ?? DEFAULT_KERNEL,
          settings: options,
          hidden,
          imports: importsOf(tasks)
        },
        ports
      )
  );
  const runs: BenchRun[] = [];
  try {
    for (const { label, options: settings } of command.sweep?.values ?? [
      { label: '', options }
    ]) {
      if (!ports.signal.aborted) {
        runs.push(
          await runOnce(command, label, settings, tasks, source, {
            ...ports,
            workers,
            finished
          })
        );
      }
    }
  } finally {
    ports.screen.status('');
    await Promise.all(workers.map(worker => worker.end()));
  }
  return runs;
}

async function runOnce(
  command: BenchCommand,
  label: string,
  settings: RefineOptions,
  tasks: readonly Task[],
  source: Source,
  ports: RunPorts & {
    readonly workers: readonly BenchWorker[];
    readonly finished: IFinished<TaskResult>;
  }
): Promise<BenchRun> {
  const { screen, signal, events, finished, version } = ports;
  const results: TaskResult[] = [];
  const show = progressOf(label, tasks.length, screen);
  const run = async (worker: BenchWorker, task: Task): Promise<TaskResult> => {
    const answers = source.answersOf(task);
    const { identity } = source;
    const key = keyOf([
      version,
      FORMAT,
      task,
      answers ?? [identity.profile, identity.model, identity.host],
      command.kernel,
      settings
    ]);
    const known = finished.find(key);
    if (known) {
      return known;
    }
    // The loop asks for no more than there is.
    const maxAttempts = Math.min(
      settings.maxAttempts,
      answers?.length ?? settings.maxAttempts
    );
    const result = await worker.run(
      task,
      () => {
        const model = source.modelFor(task);
        if (!model) {
          throw new Error(`no model for task ${task.id}`);
        }
        return model;
      },
      { ...settings, maxAttempts },
      { progress: new Progress(noScreen(screen)), events }
    );
    finished.add(key, result);
    return result;
  };
  await inOrder<Task, TaskResult | null>(
    tasks,
    ports.workers.map(
      worker => task =>
        run(worker, task).catch((error: unknown) => {
          if (signal.aborted) {
            return null;
          }
          throw error;
        })
    ),
    result => {
      if (result !== null) {
        results.push(result);
        show(results);
      }
    },
    () => signal.aborted
  );
  return {
    label,
    maxAttempts: maxAttemptsOf(settings, source, tasks),
    tasks: results
  };
}

/** So many columns has the report. */
function maxAttemptsOf(
  { maxAttempts }: RefineOptions,
  source: Source,
  tasks: readonly Task[]
): number {
  const recorded = tasks.map(task => source.answersOf(task)?.length);
  const most = recorded.reduce<number>(
    (longest, count) => Math.max(longest, count ?? maxAttempts),
    1
  );
  return Math.min(maxAttempts, most);
}

/** A status line on a terminal; some lines for a log. */
function progressOf(
  label: string,
  total: number,
  screen: IScreen
): (results: readonly TaskResult[]) => void {
  const step = Math.max(1, Math.floor(total / LOG_LINES));
  return results => {
    const done = results.length;
    const solved = results.filter(result => result.solved).length;
    const text = `${label ? `${label}: ` : ''}${done} of ${total} tasks, ${Math.round((100 * solved) / done)} % solved`;
    screen.status(text);
    if (done % step === 0 || done === total) {
      screen.line(screen.paint('dim', text));
    }
  };
}

/** First names of the modules that checks and stubs import: loaded once, and not in each attempt. */
function importsOf(tasks: readonly Task[]): readonly string[] {
  const found = tasks.flatMap(({ checks, stub }) => [
    ...`${stub}\n${checks}`.matchAll(/^\s*(?:import|from)\s+(\w+)/gm)
  ]);
  return [...new Set(found.map(([, name]) => name ?? ''))];
}
