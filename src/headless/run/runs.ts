/** `jupyter refine run` and `check`: where each notebook runs, and what they share: models, a server, workers, the screen. */
import { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/settings';
import { profilesOf } from '../server/requests';
import {
  cellsFromNotebook,
  CellTags,
  CHECK_POLICY,
  hasTag,
  holdsHiddenData,
  limitByPolicy,
  type TargetPolicy
} from '../../notebook';
import type { CommandLinePorts, NotebookCommand } from '../cli/commands';
import { recording, replaying } from '../files/cassette';
import { Progress } from '../report/progress';
import { problemOf, type NotebookResult } from '../report/results';
import { heldScreen, type IScreen } from '../report/screen';
import { LazyServer } from '../server/jupyterServer';
import { chooseModels, type ChosenModels } from '../server/modelChoice';
import { plannedTargets } from './dryRun';
import { WarmWorker } from './warmProcess';
import { KernelHost, kernelName } from './kernelHost';
import { runNotebook, type GivenNotebook } from './notebookRun';
import type { IPlace, NotebookPorts } from './place';
import { WarmPlace } from './warmPlace';

/** A notebook that was read, or why it could not be. */
export type Prepared = { readonly path: string } & (
  GivenNotebook | { readonly problem: NotebookResult['problem'] }
);

type RunPorts = CommandLinePorts &
  Pick<NotebookPorts, 'onEvent'> & { readonly screen: IScreen };

/** Each notebook by one of the workers; `onResult` gets them in the order in which they were named. */
export async function runAll(
  command: NotebookCommand,
  prepared: readonly Prepared[],
  ports: RunPorts,
  onResult: (result: NotebookResult) => void
): Promise<void> {
  const { screen, signal } = ports;
  const progress = new Progress(screen);
  const count = Math.min(command.workers, prepared.length);
  const server = new LazyServer(command, ports, progress);
  const workers = Array.from({ length: count }, () => new WarmWorker(ports));
  try {
    const needsModels =
      command.command === 'run' && prepared.some(one => !('problem' in one));
    const offer: Offer = needsModels
      ? await offerOf(command, server, progress)
      : { models: null, policy: CHECK_POLICY, options: command.options };
    const work = async (worker: WarmWorker, one: Prepared) => {
      // With several workers, the lines of one notebook are shown together.
      const held = count > 1 ? heldScreen(screen) : null;
      try {
        const own = { ...ports, screen: held ?? screen };
        return await runOne(command, one, offer, own, worker, server);
      } finally {
        held?.release();
      }
    };
    await inOrder<Prepared, NotebookResult>(
      prepared,
      workers.map(worker => one => work(worker, one)),
      onResult,
      () => signal.aborted
    );
  } finally {
    await Promise.all(workers.map(worker => worker.end()));
    await server.stop();
  }
}

async function runOne(
  command: NotebookCommand,
  { path, ...given }: Prepared,
  { options, ...offer }: Offer,
  { screen, onEvent, version, signal }: RunPorts,
  worker: WarmWorker,
  server: LazyServer
): Promise<NotebookResult> {
  const nothing = { path, targets: [], written: null };
  if ('problem' in given) {
    return { ...nothing, problem: given.problem };
  }
  const progress = new Progress(screen);
  const { notes, output } = given;
  notes?.forEach(({ gradeId, what }) =>
    progress.warn(`${path}: test ${gradeId} ${MASTER_NOTES[what]}`)
  );
  const own = { ...command, options };
  const ports = { ...offer, progress, onEvent, version, signal };
  try {
    if (command.dryRun) {
      const planned = plannedTargets(own, path, given, offer);
      return { ...nothing, planned, problem: null };
    }
    const { notebook, ...ran } = await runNotebook(
      own,
      path,
      given,
      ports,
      () => placeOf(own, path, given, worker, server, ports)
    );
    const result = { ...ran, written: null, ...(notes ? { notes } : {}) };
    const accepted = ran.targets.map(target => target.accepted);
    if (output && notebook && accepted.some(how => how !== null)) {
      try {
        return { ...result, written: output.write(notebook, progress) };
      } catch (error) {
        return { ...result, problem: result.problem ?? problemOf(error) };
      }
    }
    if (accepted.some(how => how === 'inserted' || how === 'ran')) {
      progress.note(
        `${path}: nothing was written. Give --output FILE or --in-place to keep the result.`
      );
    }
    return result;
  } catch (error) {
    signal.throwIfAborted();
    return { ...nothing, problem: problemOf(error) };
  }
}

const MASTER_NOTES = {
  edited: 'was edited: the master’s is used.',
  missing: 'is missing: the master’s is used.',
  duplicate: 'is there twice: the second one does not count.',
  added: 'is not in the master: it does not count.'
} as const;

/** A warm process, or a kernel of a Jupyter server for a run, and where a check needs one. */
async function placeOf(
  command: NotebookCommand,
  path: string,
  { notebook }: GivenNotebook,
  worker: WarmWorker,
  server: LazyServer,
  ports: NotebookPorts
): Promise<IPlace> {
  const { isolation, confirmClean } = command.options;
  const mayBeWarm =
    command.command === 'check' &&
    command.server === null &&
    (isolation === 'auto' || isolation === 'fork') &&
    !confirmClean;
  const cells = cellsFromNotebook(notebook);
  // A scorer needs values of the cells above in a process that never ran them.
  const isScored = cells.some(
    cell => hasTag(cell, CellTags.scorer) || holdsHiddenData(cell)
  );
  const name = command.kernel ?? kernelName(notebook);
  const warm = mayBeWarm && !isScored ? await worker.get(name) : null;
  if (warm !== null) {
    return new WarmPlace(command, path, cells, warm, ports);
  }
  const kernels = await server.get();
  const kernel = await KernelHost.start(
    kernels,
    command,
    path,
    notebook,
    ports
  );
  if (mayBeWarm) {
    // Only now, since the kernel may not exist.
    const why = isScored
      ? 'it has a scorer or hidden data.'
      : 'its kernel needs a Jupyter server.';
    ports.progress.warn(
      `${path} runs in a kernel, its cells above the targets for real: ${why}`
    );
  }
  return kernel;
}

/**
 * Each worker takes the next item until there is none, or `isEnded`.
 *
 * @param onResult - called in the order of `items`, as soon as all before have a result.
 */
async function inOrder<T, R>(
  items: readonly T[],
  workers: readonly ((item: T) => Promise<R>)[],
  onResult: (result: R) => void,
  isEnded: () => boolean
): Promise<void> {
  let next = 0;
  let reported = Promise.resolve();
  const work = async (worker: (item: T) => Promise<R>) => {
    while (next < items.length && !isEnded()) {
      const result = worker(items[next++] as T);
      // After an interruption one between may be missing: the others are not lost.
      reported = reported.then(() => result).then(onResult, () => undefined);
      await result;
    }
  };
  await Promise.all(workers.map(work)).finally(() => reported);
}

export type Offer = {
  /** Null: check only. */
  readonly models: ChosenModels | null;
  readonly policy: TargetPolicy;
  /** Within the limits of those who offer it. */
  readonly options: RefineOptions;
  readonly keyVariables?: readonly string[];
};

/** What those that have the models, and a given server, offer and allow. */
export async function offerOf(
  command: NotebookCommand,
  server: LazyServer,
  progress: Progress
): Promise<Offer> {
  const { settings } = await server.models();
  const profiles = await profilesOf(settings);
  const policies = [profiles.policy];
  const kernels = await server.get();
  if (kernels.settings !== settings) {
    try {
      policies.push((await profilesOf(kernels.settings)).policy);
    } catch (error) {
      // It needs no extension of ours, and has no policy then.
      if (!(error instanceof RefineError && error.code === 'routes-missing')) {
        throw error;
      }
    }
  }
  let { options } = command;
  for (const policy of policies) {
    const limited = limitByPolicy(options, policy);
    limited.notes.forEach(message => progress.warn(message));
    ({ options } = limited);
  }
  const offer = {
    policy: {
      allowSolutionCells: policies.every(({ refineGradedCells }) =>
        Boolean(refineGradedCells)
      )
    },
    keyVariables: policies.flatMap(({ keyVariables }) => keyVariables),
    options
  };
  const { dryRun, profile, record, replay } = command;
  if (replay !== null) {
    return { ...offer, models: replaying(replay) };
  }
  if (dryRun && !profile && profiles.profiles.every(({ demo }) => demo)) {
    progress.warn('No model is configured; a run needs one.');
    return { ...offer, models: null };
  }
  const models = chooseModels(settings, profiles, command, options);
  return {
    ...offer,
    models: record === null ? models : recording(record, models)
  };
}
