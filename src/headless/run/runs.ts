/** `jupyter refine run`: its server, its models, and its workers. */
import type { RefineOptions } from '../../core/options';
import { fetchProfiles } from '../../models/server';
import { limitByPolicy, type TargetPolicy } from '../../notebook';
import type { RunCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import { nobody } from '../cli/questions';
import { recording, replaying } from '../files/cassette';
import type { IEventSink } from '../files/eventFile';
import { write } from '../files/writing';
import { HeldScreen } from '../report/heldScreen';
import { Progress } from '../report/progress';
import type { NotebookResult } from '../report/results';
import type { IScreen } from '../report/screen';
import type { IJupyterServer } from '../server/jupyterServer';
import { chooseModels, type ChosenModels } from '../server/modelChoice';
import { startServer, type Prepared } from './checks';
import { inOrder } from './inOrder';
import { runNotebook } from './notebookRun';

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
  await withServer(command, prepared, ports, async offer => {
    const run = async ({ path, ...rest }: Prepared) => {
      if ('problem' in rest || offer === null) {
        const problem = 'problem' in rest ? rest.problem : null;
        return { path, targets: [], problem, written: null };
      }
      const held = count > 1 ? new HeldScreen(screen) : null;
      const progress = new Progress(held ?? screen);
      const { options, ...offered } = offer;
      try {
        const { notebook, ...result } = await runNotebook(
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
    await inOrder(
      prepared,
      Array.from({ length: count }, () => run),
      onResult,
      () => signal.aborted
    );
  });
}

export type Offer = {
  readonly server: IJupyterServer;
  readonly models: ChosenModels;
  readonly policy: TargetPolicy;
  readonly keyVariables?: readonly string[];
  /** Within the limits of the server. */
  readonly options: RefineOptions;
};

/** Start or reach the server, and stop one of our own whatever happens; none is started for nothing. */
export async function withServer<T>(
  command: RunCommand,
  prepared: readonly Prepared[],
  ports: RunPorts,
  use: (offer: Offer | null) => Promise<T>
): Promise<T> {
  if (prepared.every(one => 'problem' in one)) {
    return use(null);
  }
  const progress = new Progress(ports.screen);
  const server = await startServer(command, ports, progress);
  try {
    return await use(await offerOf(command, server, progress));
  } finally {
    progress.status('stopping the Jupyter server');
    await server.stop();
    progress.status('');
  }
}

/** What the server offers and allows. */
async function offerOf(
  command: RunCommand,
  server: IJupyterServer,
  progress: Progress
): Promise<Offer> {
  const profiles = await fetchProfiles(server.settings);
  const { options, notes } = limitByPolicy(command.options, profiles.policy);
  notes.forEach(({ message }) => progress.warn(message));
  const { record, replay } = command;
  const models =
    replay === null
      ? chooseModels(server.settings, profiles, command, options)
      : replaying(replay);
  return {
    server,
    models: record === null ? models : recording(record, models),
    policy: { allowSolutionCells: profiles.policy.refineGradedCells },
    keyVariables: profiles.policy.keyVariables,
    options
  };
}
