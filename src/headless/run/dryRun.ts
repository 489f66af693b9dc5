/** `--dry-run`: the first prompt of each target, and what all its calls can cost at most. Nothing is run or sent. */
import { randomUUID } from 'node:crypto';
import { MEMORY_LIMIT } from '../../core/prompts/memory';
import { buildMessages } from '../../core/prompts/prompts';
import { FEEDBACK_LIMIT } from '../../core/feedback/parts';
import {
  addUsage,
  NO_USAGE,
  type ChatMessage,
  type ILanguageModel,
  type ModelIdentity,
  type Usage
} from '../../core/domain/model';
import { withWorkflow } from '../../core/domain/workflow';
import {
  costOf,
  estimatePrompt,
  pricesOf,
  tokensOf,
  USUAL_ANSWER
} from '../../core/session/budget/budget';
import type { RefineRequest } from '../../core/domain/request';
import {
  buildRequest,
  cellsFromNotebook,
  certainLanguage,
  planTarget
} from '../../notebook';
import type { RunCommand } from '../cli/commands';
import { cellLabel, usageText } from '../report/results';
import { printable } from '../report/screen';
import type { ChosenModels } from '../server/modelChoice';
import type { Prepared, RunOffer } from './runs';
import { chooseTargets } from './target/targetChoice';

export type PlannedTarget = {
  readonly path: string;
  readonly cellId: string;
  readonly index: number;
  readonly model: ModelIdentity;
  /** Of the first attempt. */
  readonly messages: readonly ChatMessage[];
  readonly atMost: Usage;
};

/** @throws RefineError kind `input` for a notebook with nothing to refine. */
export function plannedTargets(
  command: RunCommand,
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
    const messages = buildMessages(request);
    return {
      path,
      cellId: target.cellId,
      index: target.index,
      model: offer.models.generator.identity,
      messages,
      atMost: mostOf(request, messages, offer.models)
    };
  });
}

/** Each prompt repeats the first one and remembers the attempts before; a judge reads it with a candidate and what that gave. */
function mostOf(
  request: RefineRequest,
  messages: readonly ChatMessage[],
  { generator, evaluator }: ChosenModels
): Usage {
  const options = withWorkflow(request.options, request.scorer !== undefined);
  const { maxAttempts: calls, maxTokens, maxCost } = options;
  const answer = options.maxOutputTokens ?? USUAL_ANSWER;
  const first = estimatePrompt(messages);
  const attempt = answer + tokensOf(FEEDBACK_LIMIT);
  let prompts = 0;
  for (let before = 0; before < calls; before++) {
    prompts += first + Math.min(MEMORY_LIMIT, before * attempt);
  }
  const judge = evaluator ?? generator;
  const usage = addUsage(
    usageOf(generator, calls, prompts, calls * answer),
    options.evaluators.includes('judge')
      ? usageOf(judge, calls, calls * (first + attempt), calls * answer)
      : NO_USAGE
  );
  const tokens = usage.promptTokens + usage.completionTokens;
  const share = Math.min(1, (maxTokens ?? Infinity) / tokens);
  return {
    ...usage,
    promptTokens: Math.floor(usage.promptTokens * share),
    completionTokens: Math.floor(usage.completionTokens * share),
    cost: usage.cost === null ? null : Math.min(usage.cost, maxCost ?? Infinity)
  };
}

function usageOf(
  model: ILanguageModel,
  calls: number,
  promptTokens: number,
  completionTokens: number
): Usage {
  const prices = pricesOf(model);
  return {
    calls,
    promptTokens,
    completionTokens,
    estimated: true,
    cost: prices && costOf(prices, promptTokens, completionTokens)
  };
}

/** For people: each target with its first prompt, and what all of them can cost. */
export function planLines(
  targets: readonly PlannedTarget[]
): readonly string[] {
  const all = targets.reduce(
    (sum, { atMost }) => addUsage(sum, atMost),
    NO_USAGE
  );
  return [
    ...targets.flatMap(target => [
      `${target.path} ${cellLabel(target)}: at most ${usageText(target.atMost, true)}`,
      `First prompt, to ${target.model.profile}/${target.model.model} at ${target.model.host}:`,
      ...target.messages.flatMap(({ role, content }) => [
        `--- ${role}`,
        printable(content)
      ]),
      ''
    ]),
    `Nothing was run or sent. All targets together: at most ${usageText(all, true)}.`,
    'A run adds the variables of the kernel to the prompts, and repeats calls that fail.'
  ];
}
