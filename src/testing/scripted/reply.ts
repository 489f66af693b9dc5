/** Sends an answer of the script, its fault included. */
import { chunks, completion } from './chunks';
import {
  contextLengthBody,
  errorBody,
  rejectedParameterBody
} from './errorBodies';
import type { Exchange } from './exchange';
import { rejects, type ChatRequest } from './picker';
import type { Answer, Fault } from './script';

const LOGIN_PAGE =
  '<!DOCTYPE html><html><head><title>Sign in</title></head><body><form action="/login" method="post"></form></body></html>';

/** What the log learns while an answer is sent. */
export type ReplyProgress = (change: {
  readonly status?: number;
  readonly tokensSent?: number;
}) => void;

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
    progress({ status: 400 });
    exchange.send(400, rejectedParameterBody(rejected, fault.style));
    return;
  }
  if (fault && (await refuse(exchange, fault, progress))) {
    return;
  }
  if (fault?.type === 'slow' && !fault.headersFirst) {
    await exchange.pause(fault.delayMs);
  }
  progress({ status: 200 });
  if (!request.stream || fault?.type === 'no-stream') {
    exchange.send(200, completion(answer, request));
    return;
  }
  exchange.startStream();
  if (fault?.type === 'slow' && fault.headersFirst) {
    await exchange.pause(fault.delayMs, fault.commentEveryMs);
  }
  await stream(exchange, answer, request, progress);
}

/** Faults that come instead of an answer. True when the response is dealt with. */
async function refuse(
  exchange: Exchange,
  fault: Fault,
  progress: ReplyProgress
): Promise<boolean> {
  switch (fault.type) {
    case 'status': {
      progress({ status: fault.status });
      const headers = {
        ...(fault.contentType ? { 'Content-Type': fault.contentType } : {}),
        ...(fault.retryAfter === undefined
          ? {}
          : { 'Retry-After': String(fault.retryAfter) })
      };
      const body =
        fault.body ?? errorBody(fault.status, fault.message, fault.code);
      exchange.send(fault.status, body, headers);
      return true;
    }
    case 'context-length':
      progress({ status: 400 });
      exchange.send(400, contextLengthBody(fault.limit, fault.requested));
      return true;
    case 'login-page':
      progress({ status: 200 });
      exchange.send(200, LOGIN_PAGE, { 'Content-Type': 'text/html' });
      return true;
    case 'hang-up':
      exchange.reset();
      return true;
    case 'stall':
      if (!fault.headers) {
        await exchange.pause(Infinity);
      }
      return !fault.headers;
    case 'slow':
    case 'cut':
    case 'no-done':
    case 'reject':
    case 'malformed':
    case 'stream-error':
    case 'no-stream':
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
    const stamp = stamped ? { id: `chatcmpl-${Date.now()}` } : {};
    const data = JSON.stringify({ ...chunk, ...stamp });
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
  if (fault?.type !== 'no-done') {
    await exchange.write('data: [DONE]\n\n', bytesPerWrite);
  } else if (!fault.close) {
    await exchange.pause(Infinity);
  }
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
      await exchange.pause(Infinity, fault.commentEveryMs);
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
