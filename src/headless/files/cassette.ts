/**
 * Model calls in a file, one JSON object a line: `--record` writes them, `--replay` answers from them.
 * A call is its messages and the answer; keys, headers and addresses are not part of it.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import { modelCallSchema } from '../../core/events/schema';
import type {
  ChatMessage,
  ILanguageModel,
  ModelEvent,
  ModelRequest
} from '../../core/domain/model';
import type { ChosenModels } from '../server/modelChoice';
import { appendTo, fileProblem } from './wholeFile';

const callSchema = z.strictObject({
  role: z.enum(['generator', 'evaluator']),
  model: z.string(),
  messages: modelCallSchema.shape.prompt,
  reasoning: z.string(),
  text: z.string(),
  finishReason: z.enum(['stop', 'length', 'other']),
  promptTokens: z.number(),
  completionTokens: z.number()
});

type Call = z.infer<typeof callSchema>;
type Role = Call['role'];

/**
 * The models, with each call that ends written to the file.
 *
 * @throws RefineError kind `input` when it cannot be written.
 */
export function recording(path: string, models: ChosenModels): ChosenModels {
  const append = appendTo('--record', path);
  const recorded = (role: Role, model: ILanguageModel): ILanguageModel => ({
    identity: model.identity,
    prices: model.prices,
    generate: (request, signal) =>
      recordedAnswer(append, role, model, request, signal)
  });
  const { generator, evaluator } = models;
  return {
    generator: recorded('generator', generator),
    evaluator: evaluator && recorded('evaluator', evaluator)
  };
}

async function* recordedAnswer(
  append: (text: string) => void,
  role: Role,
  model: ILanguageModel,
  request: ModelRequest,
  signal: AbortSignal
): AsyncGenerator<ModelEvent> {
  const said = { reasoning: '', text: '' };
  let ended: Extract<ModelEvent, { type: 'end' }> | null = null;
  let failed = false;
  try {
    for await (const event of model.generate(request, signal)) {
      if (event.type === 'text' || event.type === 'reasoning') {
        said[event.type] += event.text;
      } else if (event.type === 'retry') {
        said.text = said.reasoning = '';
      } else if (event.type === 'end') {
        ended = event;
      }
      yield event;
    }
  } catch (error) {
    failed = true;
    throw error;
  } finally {
    // The reader may have had enough; what was stopped or broke is no answer.
    if (!failed && (ended || (said.text && !signal.aborted))) {
      const { usage, finishReason } = ended ?? {};
      const call: Call = {
        role,
        model: model.identity.model,
        messages: request.messages.map(message => ({ ...message })),
        ...said,
        finishReason: finishReason ?? 'stop',
        promptTokens: usage?.promptTokens ?? 0,
        completionTokens: usage?.completionTokens ?? 0
      };
      append(`${JSON.stringify(call)}\n`);
    }
  }
}

/**
 * Models that answer from the file, each call once.
 *
 * @throws RefineError kind `input` when it is no such file.
 */
export function replaying(path: string): ChosenModels {
  const calls = readCalls(path);
  const of = (role: Role) =>
    replayModel(
      path,
      calls.filter(call => call.role === role)
    );
  const isJudged = calls.some(({ role }) => role === 'evaluator');
  return {
    generator: of('generator'),
    evaluator: isJudged ? of('evaluator') : null
  };
}

function readCalls(path: string): readonly Call[] {
  const problem = (why: string, cause: unknown) =>
    new RefineError('input', `--replay ${path}: ${why}`, { cause });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw problem(fileProblem(cause), cause);
  }
  const lines = text.split('\n').filter(line => line.trim());
  return lines.map((line, at) => {
    try {
      return callSchema.parse(JSON.parse(line));
    } catch (cause) {
      throw problem(`line ${at + 1} is not a recorded call.`, cause);
    }
  });
}

function replayModel(path: string, calls: readonly Call[]): ILanguageModel {
  const left = [...calls];
  async function* generate(
    { messages }: ModelRequest,
    signal: AbortSignal
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    await Promise.resolve();
    const now = shown(messages);
    const at = left.findIndex(call => shown(call.messages) === now);
    const [call] = at < 0 ? [] : left.splice(at, 1);
    if (!call) {
      throw new RefineError(
        'model',
        `--replay ${path}: ${difference(left[0], now)}`,
        { code: 'bad-request' }
      );
    }
    const { reasoning, text, finishReason } = call;
    const { promptTokens, completionTokens } = call;
    if (reasoning) {
      yield { type: 'reasoning', text: reasoning };
    }
    yield { type: 'text', text };
    const usage = {
      calls: 1,
      promptTokens,
      completionTokens,
      estimated: false,
      cost: 0
    };
    yield { type: 'end', finishReason, usage };
  }
  return {
    identity: {
      profile: 'recorded',
      model: calls[0]?.model ?? 'nothing',
      host: 'recorded',
      recorded: true
    },
    generate
  };
}

/** How the prompt differs from that of the next recorded call. */
function difference(next: Call | undefined, prompt: string): string {
  if (!next) {
    return 'no recorded answer is left for this prompt. Record it again.';
  }
  const before = shown(next.messages).split('\n');
  const now = prompt.split('\n');
  const at = now.findIndex((line, n) => line !== before[n]);
  return [
    'the prompt differs from the recorded one. Record it again. The first difference:',
    `- ${before[at] ?? ''}`,
    `+ ${now[at] ?? ''}`
  ].join('\n');
}

function shown(messages: readonly ChatMessage[]): string {
  return messages
    .map(({ role, content }) => `[${role}]\n${content}\n`)
    .join('');
}
