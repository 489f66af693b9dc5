/** `--dry-run`: the first prompt of each target. Nothing is run or sent. */
import { randomUUID } from 'node:crypto';
import { buildMessages } from '../../core/prompts/prompts';
import { withWorkflow } from '../../core/domain/workflow';
import {
  buildRequest,
  cellsFromNotebook,
  certainLanguage,
  planTarget
} from '../../notebook';
import type { NotebookCommand } from '../cli/commands';
import { cellLabel, type PlannedTarget } from '../report/results';
import { counted, printable } from '../report/screen';
import type { GivenNotebook } from './notebookRun';
import type { NotebookPorts } from './place';
import { chooseTargets } from './target/targetChoice';

/** @throws RefineError kind `input` for a notebook with nothing to refine. */
export function plannedTargets(
  command: NotebookCommand,
  path: string,
  { notebook, cellIds }: GivenNotebook,
  { models, policy }: Pick<NotebookPorts, 'models' | 'policy'>
): readonly PlannedTarget[] {
  const cells = cellsFromNotebook(notebook);
  const language = certainLanguage(notebook) ?? 'python';
  const chosen = chooseTargets(path, cells, language, cellIds, policy);
  return chosen.targets.map(target => {
    const plan = planTarget(cells, target, language, {
      panelPrompt: command.prompt ?? ''
    });
    const request = buildRequest({
      cells,
      plan,
      settings: command.options,
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
      model: models?.generator.identity ?? null,
      maxAttempts: withWorkflow(options, scorer !== undefined).maxAttempts,
      messages: buildMessages(request)
    };
  });
}

/** For people: a target with its first prompt. */
export function planLines({
  model,
  messages,
  maxAttempts,
  ...target
}: PlannedTarget): readonly string[] {
  return [
    `${target.path} ${cellLabel(target)}: at most ${counted(maxAttempts, 'attempt')}`,
    `First prompt${model ? `, to ${model.profile}/${model.model} at ${model.host}` : ''}; a run adds the variables of the kernel:`,
    ...messages.flatMap(({ role, content }) => [
      `--- ${role}`,
      printable(content)
    ]),
    ''
  ];
}
