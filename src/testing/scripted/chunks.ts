/** An answer as the objects of OpenAI's chat completions. */
import type { Answer } from './script';
import { promptText, type ChatRequest } from './picker';

const CHARS_PER_TOKEN = 4;

/** Parts of about one token each; joined they give the text. */
export function tokenize(text: string): readonly string[] {
  const characters = Array.from(text);
  const parts: string[] = [];
  for (let i = 0; i < characters.length; i += CHARS_PER_TOKEN) {
    parts.push(characters.slice(i, i + CHARS_PER_TOKEN).join(''));
  }
  return parts;
}

function usageOf(answer: Answer, request: ChatRequest): object | null {
  if (answer.usage === null) {
    return null;
  }
  const count = (text: string) => Math.ceil(text.length / CHARS_PER_TOKEN);
  const prompt = answer.usage?.prompt ?? count(promptText(request));
  const completion =
    answer.usage?.completion ?? count(answer.text + answer.reasoning);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion
  };
}

function envelope(answer: Answer, request: ChatRequest, object: string) {
  return {
    id: 'chatcmpl-scripted',
    object,
    created: 1700000000,
    model: request.model,
    ...(answer.recorded ? { recorded: true } : {})
  };
}

/** The whole answer, for a request without `stream`. */
export function completion(answer: Answer, request: ChatRequest): object {
  const usage = usageOf(answer, request);
  const reasoning = answer.reasoning
    ? { [answer.reasoningField]: answer.reasoning }
    : {};
  return {
    ...envelope(answer, request, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.text, ...reasoning },
        finish_reason: answer.finishReason
      }
    ],
    ...(usage ? { usage } : {})
  };
}

/**
 * The answer as chunks of a stream: `token` chunks carry text, `end` chunks
 * finish reason and usage.
 */
export function* chunks(
  answer: Answer,
  request: ChatRequest
): Generator<{ readonly kind: 'token' | 'end'; readonly chunk: object }> {
  const base = envelope(answer, request, 'chat.completion.chunk');
  const choice = (delta: object, finish: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason: finish }]
  });
  let first = true;
  const token = (field: string, value: string) => {
    const role = first ? { role: 'assistant' } : {};
    first = false;
    return {
      kind: 'token' as const,
      chunk: choice({ ...role, [field]: value })
    };
  };
  for (const part of tokenize(answer.reasoning)) {
    yield token(answer.reasoningField, part);
  }
  for (const part of tokenize(answer.text)) {
    yield token('content', part);
  }
  if (answer.finishReason !== null) {
    yield { kind: 'end', chunk: choice({}, answer.finishReason) };
  }
  const usage = usageOf(answer, request);
  if (usage && wantsUsage(request)) {
    yield { kind: 'end', chunk: { ...base, choices: [], usage } };
  }
}

function wantsUsage(request: ChatRequest): boolean {
  const options = request['stream_options'];
  return (
    typeof options === 'object' &&
    options !== null &&
    'include_usage' in options &&
    options.include_usage === true
  );
}
