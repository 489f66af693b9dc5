/** The messages of an attempt: exactly what leaves for the model, and what "What will be sent" shows. */
import { estimatePrompt } from '../session/budget/budget';
import { attemptParagraphs, memoryOf, type PromptMemory } from './memory';
import { initialState } from '../events/fold';
import type { ChatMessage } from '../domain/model';
import { keepsThoughts } from '../domain/workflow';
import { taskPrompt } from './task';
import type { RefineRequest } from '../domain/request';
import { outline } from '../python/cell';
import { visibleRequest, type VisibleRequest } from '../domain/visible';
import { languageName, languageOf } from '../languages/list';
import { fillTemplate } from '../text/template';

export { memoryOf } from './memory';

/** Of a session that has made no attempt. */
export const EMPTY_MEMORY = memoryOf(initialState(''));

export type Assembled = {
  readonly messages: readonly ChatMessage[];
  /** The last attempt whose code they show; null: they show the cell alone. */
  readonly shown: number | null;
};

/**
 * The messages for the next attempt. System and task are the same bytes in all
 * attempts of a session, so that a provider's prompt cache hits. Nothing of a
 * hold-out is in them: they are built from the visible part of the request.
 */
export function buildMessages(
  request: RefineRequest,
  memory: PromptMemory = EMPTY_MEMORY
): readonly ChatMessage[] {
  return assemblePrompt(request, memory).messages;
}

/**
 * The same, with the number of the last attempt that they show.
 *
 * @param mostTokens - room for the prompt. Where it is too small, cells above go
 * first, from the top; then the variables, then all attempts but the last.
 */
export function assemblePrompt(
  request: RefineRequest,
  memory: PromptMemory,
  mostTokens = Infinity
): Assembled {
  const all = visibleRequest(request);
  const { target, language } = request;
  const source = memory.copied
    ? outline(target.source, language)
    : target.source;
  const visible = { ...all, target: { ...target, source } };
  const { context } = visible;
  const total = context.cells.length + context.cellsLeftOut;
  const withCells = (from: number): VisibleRequest => {
    const cells = context.cells.slice(from);
    const cellsLeftOut = total - cells.length;
    return { ...visible, context: { ...context, cells, cellsLeftOut } };
  };
  const none = withCells(context.cells.length);
  const least = { ...none, context: { ...none.context, variables: [] } };
  const last = { ...memory, attempts: memory.attempts.slice(-1) };
  const shorter = [
    ...[...context.cells.keys(), context.cells.length].map(
      from => () => assembled(withCells(from), memory)
    ),
    () => assembled(least, memory)
  ];
  for (const assemble of shorter) {
    const prompt = assemble();
    if (sizeOf(prompt.messages) <= mostTokens) {
      return prompt;
    }
  }
  return assembled(least, last);
}

function assembled(request: VisibleRequest, memory: PromptMemory): Assembled {
  const { paragraphs, shown } = attemptParagraphs(request, memory);
  return {
    messages: [
      { role: 'system', content: systemPrompt(request) },
      {
        role: 'user',
        content: [taskPrompt(request), ...paragraphs].join('\n\n')
      }
    ],
    shown
  };
}

/** Tokens of messages; code has more of them for its length than prose. */
function sizeOf(messages: readonly ChatMessage[]): number {
  return Math.ceil((estimatePrompt(messages) * 4) / 3);
}

/** The user's own text (`systemPrompt`) where there is one. */
function systemPrompt(request: VisibleRequest): string {
  const own = request.options.systemPrompt;
  return own.trim() !== ''
    ? fillTemplate(own, { language: languageName(request.language) })
    : request.target.kind === 'markdown'
      ? prosePrompt(request)
      : codePrompt(request);
}

function codePrompt({ language, part, options }: VisibleRequest): string {
  const what = part
    ? 'the new lines alone, those that replace the marked ones,'
    : 'the complete cell';
  const block = `one fenced code block that holds ${what} and nothing after it: no checks, no example calls, no explanation.`;
  return [
    part
      ? `You rewrite some lines of one cell of a Jupyter notebook in ${languageName(language)}.`
      : `You write one cell of a Jupyter notebook in ${languageName(language)}.`,
    keepsThoughts(options)
      ? `Answer with your thoughts in a few sentences, then ${block}`
      : `Answer with ${block}`,
    ...languageOf(language).kernelFacts
  ].join(' ');
}

function prosePrompt({ assertions }: VisibleRequest): string {
  return [
    'You write the text of one markdown cell of a Jupyter notebook. Your whole answer becomes the text of the cell: no introduction, no remarks about it.',
    ...(assertions.length > 0
      ? ['The checks read your text as the string `response`.']
      : [])
  ].join(' ');
}
