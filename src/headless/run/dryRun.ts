/** `--dry-run`: the first prompt of each target. Nothing is run or sent. */
import { randomUUID } from 'node:crypto';
import { buildMessages } from '../../core/prompts/prompts';
import type { ChatMessage, ModelIdentity } from '../../core/domain/model';
import { withWorkflow } from '../../core/domain/workflow';
import {
  buildRequest,
  cellsFromNotebook,
  certainLanguage,
  planTarget
} from '../../notebook';
import type { CommandLinePorts, NotebookCommand } from '../cli/commands';
import { Progress } from '../report/progress';
import {
  cellLabel,
  exitStatus,
  problemOf,
  type NotebookResult
} from '../report/results';
import { counted, createScreen, printable } from '../report/screen';
import { LazyServer } from '../server/jupyterServer';
import { offerOf, type Offer, type Prepared } from './runs';
import { chooseTargets } from './target/targetChoice';

type PlannedTarget = {
  readonly path: string;
  readonly cellId: string;
  readonly index: number;
  readonly model: ModelIdentity;
  readonly maxAttempts: number;
  /** Of the first attempt. */
  readonly messages: readonly ChatMessage[];
};

/** Prints what a run would send; resolves with the exit status. */
export async function dryRun(
  command: NotebookCommand,
  prepared: readonly Prepared[],
  ports: CommandLinePorts
): Promise<number> {
  const progress = new Progress(createScreen(ports.stderr, ports.environment));
  const server = new LazyServer(command, ports, progress);
  const results: NotebookResult[] = [];
  const targets: PlannedTarget[] = [];
  try {
    // No model is looked up for nothing.
    const offer = prepared.every(one => 'problem' in one)
      ? null
      : await offerOf(command, server, progress);
    for (const one of prepared) {
      let problem = 'problem' in one ? one.problem : null;
      try {
        if (offer && !('problem' in one)) {
          targets.push(...plannedTargets(command, one, offer));
        }
      } catch (error) {
        problem = problemOf(error);
      }
      if (problem) {
        progress.error(problem.message);
      }
      results.push({ path: one.path, targets: [], problem, written: null });
    }
  } finally {
    await server.stop();
  }
  const lines = command.json
    ? [JSON.stringify({ targets }, null, 2)]
    : planLines(targets);
  lines.forEach(line => ports.stdout.write(`${line}\n`));
  return exitStatus(results, false);
}

/** @throws RefineError kind `input` for a notebook with nothing to refine. */
function plannedTargets(
  command: NotebookCommand,
  { path, notebook, cellIds }: Exclude<Prepared, { problem: unknown }>,
  offer: Offer
): readonly PlannedTarget[] {
  const cells = cellsFromNotebook(notebook);
  const language = certainLanguage(notebook) ?? 'python';
  const chosen = chooseTargets(path, cells, language, cellIds, offer.policy);
  return chosen.targets.map(target => {
    const plan = planTarget(cells, target, language, {
      panelPrompt: command.prompt ?? ''
    });
    const request = buildRequest({
      cells,
      plan,
      settings: offer.options,
      variables: [],
      session: randomUUID(),
      path,
      language
    });
    const { options, scorer } = request;
    return {
      path,
      cellId: target.cellId,
      index: target.index,
      model: offer.models!.generator.identity,
      maxAttempts: withWorkflow(options, scorer !== undefined).maxAttempts,
      messages: buildMessages(request)
    };
  });
}

/** For people: each target with its first prompt. */
function planLines(targets: readonly PlannedTarget[]): readonly string[] {
  return [
    ...targets.flatMap(target => [
      `${target.path} ${cellLabel(target)}: at most ${counted(target.maxAttempts, 'attempt')}`,
      `First prompt, to ${target.model.profile}/${target.model.model} at ${target.model.host}:`,
      ...target.messages.flatMap(({ role, content }) => [
        `--- ${role}`,
        printable(content)
      ]),
      ''
    ]),
    'Nothing was run or sent. A run adds the variables of the kernel to the prompts.'
  ];
}
