/** `jupyter refine run`: its models, its server where one is needed, and its workers. */
import { RefineError } from '../../core/errors';
import type { RefineOptions } from '../../core/options';
import type { ServerPolicy } from '../../models/server';
import { profilesOf } from '../server/requests';
import { limitByPolicy, type TargetPolicy } from '../../notebook';
import type { RunCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import { nobody } from '../cli/questions';
import { recording, replaying } from '../files/cassette';
import type { IEventSink } from '../files/eventFile';
import { write } from '../files/notebookOutput';
import { HeldScreen } from '../report/heldScreen';
import { Progress } from '../report/progress';
import type { NotebookResult } from '../report/results';
import type { IScreen } from '../report/screen';
import type { IJupyterServer } from '../server/jupyterServer';
import { chooseModels, type ChosenModels } from '../server/modelChoice';
import { LazyServer } from '../server/lazyServer';
import { withModelProcess, type ModelProcess } from '../server/modelProcess';
import type { Prepared } from './checks';
import { inOrder } from './inOrder';
import { RunWorker } from './workers';

export type RunPorts = CommandLinePorts & {
  readonly screen: IScreen;
  readonly events: IEventSink;
};

/** Each notebook by one of the workers; `onResult` gets them in the order in which they were named. */
export async function runAll(
  command: RunCommand,
  prepared: readonly Prepared[],
  ports: RunPorts,
  onResult: (result: NotebookResult) => void
): Promise<void> {
  const { screen, signal, questions, ...others } = ports;
  const count = Math.min(command.workers, prepared.length);
  const server = new LazyServer(command, ports, new Progress(screen));
  const environment = { ...ports.environment };
  const workers = Array.from(
    { length: count },
    () => new RunWorker(server, { ...ports, environment })
  );
  const [first] = prepared.filter(one => !('problem' in one));
  if (first && !('problem' in first)) {
    workers[0]?.prepare(command, first);
  }
  const run = async (
    worker: RunWorker,
    offer: Offer | null,
    { path, ...rest }: Prepared
  ) => {
    if ('problem' in rest || offer === null) {
      const problem = 'problem' in rest ? rest.problem : null;
      return { path, targets: [], problem, written: null };
    }
    const held = count > 1 ? new HeldScreen(screen) : null;
    const progress = new Progress(held ?? screen);
    const { options, ...offered } = offer;
    try {
      const { notebook, ...result } = await worker.run(
        { ...command, options },
        path,
        rest,
        {
          ...others,
          ...offered,
          signal,
          progress,
          questions: held ? nobody : questions
        }
      );
      const { output = null } = rest;
      return { ...result, ...write(output, result, notebook, progress) };
    } finally {
      held?.release();
    }
  };
  try {
    await withOffer(command, prepared, server, ports, async offer => {
      if (offer?.hidesKeys) {
        // What was started already has them.
        await Promise.all(workers.map(worker => worker.end()));
        offer.keyVariables.forEach(name => delete environment[name]);
      }
      await inOrder<Prepared, NotebookResult>(
        prepared,
        workers.map(worker => one => run(worker, offer, one)),
        onResult,
        () => signal.aborted
      );
    });
  } finally {
    await Promise.all(workers.map(worker => worker.end()));
    await server.stop();
  }
}

export type Offer = {
  readonly models: ChosenModels;
  readonly policy: TargetPolicy;
  readonly keyVariables: readonly string[];
  /** Cells run without these. */
  readonly hidesKeys: boolean;
  /** Within the limits of those who offer it. */
  readonly options: RefineOptions;
};

/** Find the models, and stop the process that has them; none is started for nothing. */
export async function withOffer<T>(
  command: RunCommand,
  prepared: readonly Prepared[],
  server: LazyServer,
  ports: RunPorts,
  use: (offer: Offer | null) => Promise<T>
): Promise<T> {
  if (prepared.every(one => 'problem' in one)) {
    return use(null);
  }
  const progress = new Progress(ports.screen);
  return withModelProcess(command, ports, async models =>
    use(await offerOf(command, server, models, progress))
  );
}

/** What those that have the models, and a given server, offer and allow. */
async function offerOf(
  command: RunCommand,
  server: LazyServer,
  own: ModelProcess | null,
  progress: Progress
): Promise<Offer> {
  const given = command.server === null ? null : await server.get();
  const { settings } = own ?? given!;
  const profiles = await profilesOf(settings);
  const policies = [profiles.policy];
  if (own !== null && given !== null) {
    policies.push(...(await policyOf(given)));
  }
  let { options } = command;
  for (const policy of policies) {
    const limited = limitByPolicy(options, policy);
    limited.notes.forEach(({ message }) => progress.warn(message));
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
    hidesKeys: policies.some(({ hidesKeys }) => hidesKeys),
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
