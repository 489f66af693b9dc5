/** `jupyter refine run` and `check`: where each notebook runs, and what they share: models, a server, workers, the screen. */
import { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/settings';
import type { ServerPolicy } from '../../models/server';
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
import { LazyServer, type IJupyterServer } from '../server/jupyterServer';
import { chooseModels, type ChosenModels } from '../server/modelChoice';
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
  const { screen, signal, onEvent, version } = ports;
  const count = Math.min(command.workers, prepared.length);
  const server = new LazyServer(command, ports, new Progress(screen));
  const workers = Array.from({ length: count }, () => new WarmWorker(ports));
  const work = async (
    worker: WarmWorker,
    offer: Offer,
    { path, ...given }: Prepared
  ): Promise<NotebookResult> => {
    if ('problem' in given) {
      return { path, targets: [], problem: given.problem, written: null };
    }
    const held = count > 1 ? heldScreen(screen) : null;
    const progress = new Progress(held ?? screen);
    const { options, ...offered } = offer;
    const { notes, output } = given;
    notes?.forEach(({ gradeId, what }) =>
      progress.warn(`${path}: test ${gradeId} ${MASTER_NOTES[what]}`)
    );
    try {
      const own = { ...command, options };
      const notebookPorts = {
        ...offered,
        progress,
        onEvent,
        version,
        signal
      };
      const { notebook, ...result } = await runNotebook(
        own,
        path,
        given,
        notebookPorts,
        () => placeOf(own, path, given, worker, server, notebookPorts)
      );
      const accepted = result.targets.map(target => target.accepted);
      const isChanged = accepted.some(
        how => how === 'inserted' || how === 'ran'
      );
      if (isChanged && output === null) {
        progress.note(
          `${path}: nothing was written. Give --output FILE or --in-place to keep the result.`
        );
      }
      const isKept = output !== null && accepted.some(how => how !== null);
      return {
        ...result,
        ...(notes ? { notes } : {}),
        ...(isKept ? output.write(notebook, progress) : { written: null }),
        ...(result.problem ? { problem: result.problem } : {})
      };
    } catch (error) {
      signal.throwIfAborted();
      return { path, targets: [], problem: problemOf(error), written: null };
    } finally {
      held?.release();
    }
  };
  const all = (offer: Offer) =>
    inOrder<Prepared, NotebookResult>(
      prepared,
      workers.map(worker => one => work(worker, offer, one)),
      onResult,
      () => signal.aborted
    );
  try {
    if (
      command.command === 'check' ||
      prepared.every(one => 'problem' in one)
    ) {
      const { options } = command;
      await all({ models: null, policy: CHECK_POLICY, options });
    } else {
      await all(await offerOf(command, server, new Progress(screen)));
    }
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

/** A warm process, or a kernel of a Jupyter server for a run, and where a check needs one. */
async function placeOf(
  command: NotebookCommand,
  path: string,
  given: GivenNotebook,
  worker: WarmWorker,
  server: LazyServer,
  ports: NotebookPorts
): Promise<IPlace> {
  const { notebook } = given;
  const isCheck = command.command === 'check';
  const mayBeWarm =
    isCheck && isIsolating(command) && !command.options.confirmClean;
  const isScored = needsValues(given);
  const name = command.kernel ?? kernelName(notebook);
  const warm = mayBeWarm && !isScored ? await worker.get(name) : null;
  if (warm !== null) {
    const cells = cellsFromNotebook(notebook);
    return new WarmPlace(
      command,
      path,
      cells,
      warm,
      ports.progress
    );
  }
  const kernel = await KernelHost.start(
    await server.get(),
    command,
    path,
    notebook,
    ports
  );
  if (mayBeWarm) {
    // Only now, since the kernel may not exist.
    ports.progress.warn(
      `${path} runs in a kernel, its cells above the targets for real: ${
        isScored
          ? 'it has a scorer or hidden data.'
          : 'its kernel needs a Jupyter server.'
      }`
    );
  }
  return kernel;
}

/** Whether the command itself asks for no kernel of a server. */
function isIsolating({ server, options }: NotebookCommand): boolean {
  const { isolation } = options;
  return server === null && (isolation === 'auto' || isolation === 'fork');
}

/** True where a scorer needs values of the cells above in a process that never ran them. */
function needsValues({ notebook }: GivenNotebook): boolean {
  return cellsFromNotebook(notebook).some(
    cell => hasTag(cell, CellTags.scorer) || holdsHiddenData(cell)
  );
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

type Offer = {
  /** Null: check only. */
  readonly models: ChosenModels | null;
  readonly policy: TargetPolicy;
  /** Within the limits of those who offer it. */
  readonly options: RefineOptions;
  readonly keyVariables?: readonly string[];
};

export type RunOffer = Offer & {
  readonly models: ChosenModels;
  readonly keyVariables: readonly string[];
};

/** What those that have the models, and a given server, offer and allow. */
export async function offerOf(
  command: NotebookCommand,
  server: LazyServer,
  progress: Progress
): Promise<RunOffer> {
  const { settings } = await server.models();
  const profiles = await profilesOf(settings);
  const policies = [profiles.policy];
  const kernels = await server.get();
  if (kernels.settings !== settings) {
    policies.push(...(await policyOf(kernels)));
  }
  let { options } = command;
  for (const policy of policies) {
    const limited = limitByPolicy(options, policy);
    limited.notes.forEach(message => progress.warn(message));
    ({ options } = limited);
  }
  const { record, replay } = command;
  const models =
    replay === null
      ? chooseModels(settings, profiles, command, options)
      : replaying(replay);
  return {
    models: record === null ? models : recording(record, models),
    policy: {
      allowSolutionCells: policies.every(({ refineGradedCells }) =>
        Boolean(refineGradedCells)
      )
    },
    keyVariables: policies.flatMap(({ keyVariables }) => keyVariables),
    options
  };
}

/** Of a server that may not have our extension: none then. */
async function policyOf(
  server: IJupyterServer
): Promise<readonly ServerPolicy[]> {
  try {
    return [(await profilesOf(server.settings)).policy];
  } catch (error) {
    if (error instanceof RefineError && error.code === 'routes-missing') {
      return [];
    }
    throw error;
  }
}
