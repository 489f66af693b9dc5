/** `jupyter refine check`: its workers, its server where one is needed, and its files. */
import type { CheckCommand, RunCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import type { IEventSink } from '../files/eventFile';
import { HeldScreen } from '../report/heldScreen';
import { Progress } from '../report/progress';
import { problemOf, type NotebookResult } from '../report/results';
import type { IScreen } from '../report/screen';
import { csvText, junitText } from '../report/tables';
import { LazyServer } from '../server/lazyServer';
import { CheckWorker } from './workers';
import { inOrder } from './inOrder';
import { writeWhole } from '../files/wholeFile';
import type { GivenNotebook } from './notebookRun';
import { CHECK_POLICY } from './target/targetChoice';

/** A notebook that was read, or why it could not be. */
export type Prepared = { readonly path: string } & (
  GivenNotebook | { readonly problem: NotebookResult['problem'] }
);

/** Each notebook by one of the workers; `onResult` gets them in the order in which they were named. */
export async function checkAll(
  command: CheckCommand,
  prepared: readonly Prepared[],
  ports: CommandLinePorts & {
    readonly screen: IScreen;
    readonly events: IEventSink;
  },
  onResult: (result: NotebookResult) => void
): Promise<void> {
  const { screen, signal, ...others } = ports;
  const progress = new Progress(screen);
  const server = new LazyServer(command, ports, progress);
  const count = Math.min(command.workers, prepared.length);
  const workers = Array.from(
    { length: count },
    () => new CheckWorker(command, server, ports)
  );
  const check = async (worker: CheckWorker, { path, ...rest }: Prepared) => {
    if ('problem' in rest) {
      return { path, targets: [], problem: rest.problem, written: null };
    }
    const noted = rest.notes ?? [];
    const held = count > 1 ? new HeldScreen(screen) : null;
    try {
      const shown = held ? new Progress(held) : progress;
      noted.forEach(({ gradeId, what }) =>
        shown.warn(`${path}: test ${gradeId} ${MASTER_NOTES[what]}`)
      );
      const { targets, problem } = await worker.check(path, rest, {
        ...others,
        signal,
        models: null,
        policy: CHECK_POLICY,
        progress: shown
      });
      const { notes } = rest;
      return {
        path,
        targets,
        problem,
        written: null,
        ...(notes ? { notes } : {})
      };
    } catch (error) {
      signal.throwIfAborted();
      return { path, targets: [], problem: problemOf(error), written: null };
    } finally {
      held?.release();
    }
  };
  try {
    await inOrder<Prepared, NotebookResult>(
      prepared,
      workers.map(worker => item => check(worker, item)),
      onResult,
      () => signal.aborted
    );
  } finally {
    await Promise.all(workers.map(worker => worker.end()));
    await server.stop();
  }
}

const MASTER_NOTES = {
  edited: 'was edited: the master’s is used.',
  missing: 'is missing: the master’s is used.',
  duplicate: 'is there twice: the second one does not count.',
  added: 'is not in the master: it does not count.'
} as const;

/** The files of `--csv` and `--junit`, whole, of what is done. */
export function writeTables(
  command: RunCommand | CheckCommand,
  results: readonly NotebookResult[]
): void {
  if (command.command === 'check' && command.csv !== null) {
    writeWhole(command.csv, csvText(results, command.partialCredit));
  }
  if (command.junit !== null) {
    writeWhole(command.junit, junitText(command.command, results));
  }
}
