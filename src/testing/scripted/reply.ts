/** Sends an answer of the script, its fault included. */
import type { Answer, Fault, Script } from './script';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';

const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login" method="post"></form></body></html>';

/** What the log learns while an answer is sent. */
type ReplyProgress = (change: { readonly tokensSent: number }) => void;

/** Answer one chat request. Resolves when there is nothing more to send. */
export async function reply(
  exchange: Exchange,
  answer: Answer,
  request: ChatRequest,
  progress: ReplyProgress
): Promise<void> {
  const { fault } = answer;
  const rejected = rejects(answer, request);
  if (rejected !== null && fault?.type === 'reject') {
    exchange.send(400, rejectedParameterBody(rejected));
    return;
  }
  if (fault && (await refuse(exchange, fault))) {
    return;
  }
  if (fault?.type === 'slow') {
    await exchange.pause(fault.delayMs);
  }
  exchange.startStream();
  await stream(exchange, answer, request, progress);
}

/** Faults that come instead of an answer. True when the response is dealt with. */
async function refuse(exchange: Exchange, fault: Fault): Promise<boolean> {
  switch (fault.type) {
    case 'status': {
      const body = errorBody(fault.status, fault.message, fault.code);
      exchange.send(
        fault.status,
        body,
        fault.retryAfter === undefined
          ? {}
          : { 'Retry-After': String(fault.retryAfter) }
      );
      return true;
    }
    case 'context-length':
      exchange.send(400, CONTEXT_LENGTH);
      return true;
    case 'login-page':
      exchange.send(200, LOGIN_PAGE, { 'Content-Type': 'text/html' });
      return true;
    case 'stall':
      if (!fault.headers) {
        await exchange.pause(Infinity);
      }
      return !fault.headers;
    default:
      return false;
  }
}

async function stream(
  exchange: Exchange,
  answer: Answer,
  request: ChatRequest,
  progress: ReplyProgress
): Promise<void> {
  const { fault, bytesPerWrite, tokensPerSecond, stamped } = answer;
  let sent = 0;
  for (const { kind, chunk } of chunks(answer, request)) {
    if (await interrupt(exchange, fault, kind === 'end' ? Infinity : sent)) {
      return;
    }
    const text = JSON.stringify(chunk);
    const data =
      stamped && !text.includes('```')
        ? text.replace('\\n', `  # ${Date.now()}\\n`)
        : text;
    await exchange.write(`data: ${data}\n\n`, bytesPerWrite);
    if (exchange.closed) {
      return;
    }
    if (kind === 'token') {
      sent += 1;
      progress({ tokensSent: sent });
      if (tokensPerSecond) {
        await exchange.pause(1000 / tokensPerSecond);
      }
    }
  }
  await exchange.write('data: [DONE]\n\n', bytesPerWrite);
  exchange.end();
}

/**
 * Faults in mid-stream, due once `sent` tokens are out (`Infinity`: all of
 * them, so that a fault with a large `afterTokens` still happens).
 *
 * @returns true when the response is dealt with.
 */
async function interrupt(
  exchange: Exchange,
  fault: Fault | undefined,
  sent: number
): Promise<boolean> {
  if (!fault || !('afterTokens' in fault) || sent < fault.afterTokens) {
    return false;
  }
  switch (fault.type) {
    case 'stall':
      await exchange.pause(Infinity);
      return true;
    case 'cut':
      if (fault.clean) {
        exchange.end();
      } else {
        // A turn of its own, so that what was written is sent before the reset.
        await exchange.pause(20);
        exchange.reset();
      }
      return true;
    case 'malformed':
      await exchange.write('data: {"choices": [{"delta": {"content": \n\n');
      exchange.end();
      return true;
    case 'stream-error':
      await exchange.write(
        `data: ${JSON.stringify({ error: fault.error })}\n\n`
      );
      exchange.end();
      return true;
  }
}

const CHARS_PER_TOKEN = 4;

/** Parts of about one token each; joined they give the text. */
function tokenize(text: string): readonly string[] {
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

function envelope(request: ChatRequest) {
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: 1700000000,
    model: request.model
  };
}

/**
 * The answer as chunks of a stream: `token` chunks carry text, `end` chunks
 * finish reason and usage.
 */
function* chunks(
  answer: Answer,
  request: ChatRequest
): Generator<{ readonly kind: 'token' | 'end'; readonly chunk: object }> {
  const base = envelope(request);
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
    yield token('reasoning_content', part);
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

/** What OpenAI says, and its code. */
const BY_STATUS: Readonly<Record<number, readonly [string, string | null]>> = {
  401: [
    'Incorrect API key provided: sk-canary0123456789abcdef.',
    'invalid_api_key'
  ],
  404: ['The model does not exist.', 'model_not_found'],
  429: ['Rate limit reached for requests.', 'rate_limit_exceeded'],
  503: ['The engine is currently overloaded.', null]
};

/** OpenAI's error object for a status. */
export function errorBody(
  status: number,
  message?: string,
  code?: string
): object {
  const [knownMessage, knownCode] = BY_STATUS[status] ?? ['Error.', null];
  return {
    error: {
      message: message ?? knownMessage,
      type: status >= 500 ? 'server_error' : 'invalid_request_error',
      param: null,
      code: code ?? knownCode
    }
  };
}

/** 400 for a prompt longer than the model's context. */
const CONTEXT_LENGTH = {
  error: {
    message:
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens. Please reduce the length of the messages.",
    type: 'invalid_request_error',
    param: 'messages',
    code: 'context_length_exceeded'
  }
};

/** 400 for a parameter that the model does not take. */
function rejectedParameterBody(name: string): object {
  const hint =
    name === 'max_tokens' ? " Use 'max_completion_tokens' instead." : '';
  return {
    error: {
      message: `Unsupported parameter: '${name}' is not supported with this model.${hint}`,
      type: 'invalid_request_error',
      param: name,
      code: 'unsupported_parameter'
    }
  };
}

/** Pace, splitting and comments over a `ServerResponse`. */
export class Exchange {
  constructor(private readonly response: ServerResponse) {
    response.on('close', () => this._closed.abort());
  }

  /** True once the connection is gone or the response is over. */
  get closed(): boolean {
    return this._closed.signal.aborted;
  }

  /** True when the server, not the client, ended the response. */
  get complete(): boolean {
    return this._reset || this.response.writableFinished;
  }

  /** Status and headers of an event stream, sent at once. */
  startStream(): void {
    this.response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache'
    });
    this.response.flushHeaders();
  }

  /** A whole response. */
  send(
    status: number,
    body: string | object,
    headers: Readonly<Record<string, string>> = {}
  ): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.response.writeHead(status, {
      'Content-Type': 'application/json',
      ...headers
    });
    this.response.end(text);
  }

  /** Write text in parts of `bytesPerWrite` bytes, each in a turn of its own; 0: in one. */
  async write(text: string, bytesPerWrite = 0): Promise<void> {
    const bytes = Buffer.from(text, 'utf8');
    const size = bytesPerWrite || bytes.length;
    for (let i = 0; i < bytes.length && !this.closed; i += size) {
      this.response.write(bytes.subarray(i, i + size));
      if (bytesPerWrite) {
        await this.pause(1);
      }
    }
  }

  /** Wait `ms`; shorter when the client goes. */
  async pause(ms: number): Promise<void> {
    // The longest delay a timer takes; "until the client goes" is Infinity.
    await wait(Math.min(ms, 2 ** 31 - 1), undefined, {
      signal: this._closed.signal
    }).catch(() => undefined);
  }

  end(): void {
    this.response.end();
  }

  /** Drop the connection, as a crashed provider does. */
  reset(): void {
    this._reset = true;
    this.response.destroy();
  }

  private _reset = false;
  private readonly _closed = new AbortController();
}

/** What the server reads of a request; everything else is only logged. */
export const chatRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() }))
});

type ChatRequest = z.infer<typeof chatRequestSchema>;

/** The text of all messages. */
function promptText(request: ChatRequest): string {
  return request.messages
    .map(({ content }) =>
      typeof content === 'string' ? content : JSON.stringify(content)
    )
    .join('\n');
}

/** Hands out the answers of one script and counts how often each was used. */
export class AnswerPicker {
  constructor(private readonly script: Script) {}

  /** The next answer for this request, or null when the script has none left. */
  pick(request: ChatRequest): Answer | null {
    const text = promptText(request);
    const index = this.script.answers.findIndex(
      ({ match, times }, i) =>
        (times === 0 || (this._used.get(i) ?? 0) < times) &&
        (match === undefined || text.includes(match))
    );
    const answer = this.script.answers[index];
    if (!answer) {
      return null;
    }
    if (!rejects(answer, request)) {
      this._used.set(index, (this._used.get(index) ?? 0) + 1);
    }
    return answer;
  }

  private readonly _used = new Map<number, number>();
}

/** The first parameter of the request that the answer's fault `reject` names: such a request uses up no answer. */
function rejects(answer: Answer, request: ChatRequest): string | null {
  if (answer.fault?.type !== 'reject') {
    return null;
  }
  return answer.fault.parameters.find(name => name in request) ?? null;
}
