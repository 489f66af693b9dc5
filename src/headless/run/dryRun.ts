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
import type { NotebookCommand } from '../cli/commands';
import { cellLabel } from '../report/results';
import { counted, printable } from '../report/screen';
import type { Prepared, RunOffer } from './runs';
import { chooseTargets } from './target/targetChoice';

export type PlannedTarget = {
  readonly path: string;
  readonly cellId: string;
  readonly index: number;
  readonly model: ModelIdentity;
  readonly maxAttempts: number;
  /** Of the first attempt. */
  readonly messages: readonly ChatMessage[];
};

/** @throws RefineError kind `input` for a notebook with nothing to refine. */
export function plannedTargets(
  command: NotebookCommand,
  { path, ...rest }: Prepared,
  offer: RunOffer
): readonly PlannedTarget[] {
  if ('problem' in rest) {
    return [];
  }
  const { notebook, cellIds } = rest;
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
      model: offer.models.generator.identity,
      maxAttempts: withWorkflow(options, scorer !== undefined).maxAttempts,
      messages: buildMessages(request)
    };
  });
}

/** For people: each target with its first prompt. */
export function planLines(
  targets: readonly PlannedTarget[]
): readonly string[] {
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
