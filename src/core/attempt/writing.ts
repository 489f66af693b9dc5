/** One streamed answer of a model, reported as it comes. */
import { cutMiddle, wellFormed } from '../text/cut';
import { splitThinking } from '../text/thinking';
import { numberedChecks } from '../domain/checks/numberedChecks';
import { completeFor } from '../session/complete';
import type { ChatMessage, ILanguageModel, ModelEvent } from '../domain/model';
import { frameFor } from '../part/place';
import { boundBy } from '../part/replacement';
import { keepsExamples, namesToKeep } from '../parse/leftOut';
import {
  AnswerParser,
  type ParseDelta,
  type ParsedAnswer
} from '../parse/parse';
import { SessionStop, stopAfter, type Session } from '../session/session';
import type { Assembled } from '../prompts/prompts';

/** Tokens that an answer may have for each of task, checks and the longest program so far. */
const ANSWER_TOKENS = 6;
/** And beyond that: the first answer, and those after it, which are warmer and have a program to compare with. */
const MORE_TOKENS = { first: 2000, later: 1000 };
const TOKEN_CHARACTERS = 4;
/** A piece of text that is one short piece again and again. */
const CIRCLE = 1200;
/** Characters of an answer without code that it is shown when it is asked again. */
const ANSWER_SHOWN = 600;
const NOTHING = {
  type: 'candidate-delta',
  thoughts: '',
  code: '',
  reset: true
} as const;

/** Why an attempt has no candidate to run. */
export type Failure = { readonly code: string; readonly message: string };

export type Written = Pick<
  ParsedAnswer,
  'thoughts' | 'code' | 'dispute' | 'kept'
> & { readonly failure?: Failure };

type Writing = {
  readonly session: Session;
  readonly model: ILanguageModel;
  /** Null: the provider's default. */
  readonly temperature: number | null;
  readonly prompt: Assembled;
  readonly attempt: number;
  /** Code starts to arrive. */
  readonly onCode: () => void;
};

/**
 * @throws SessionStop `model-error` when the call failed before there was a
 * candidate, and the session's own stop.
 */
export async function writeCandidate(writing: Writing): Promise<Written> {
  const { session, attempt, prompt } = writing;
  const first = await answered(writing, prompt.messages);
  if (!first) {
    throw new SessionStop('budget');
  }
  const { written, text } = first;
  const { failure } = written;
  // Asked once more, at no attempt's cost, of an answer that holds no code.
  const again: readonly ChatMessage[] = [
    ...prompt.messages,
    { role: 'assistant', content: cutMiddle(text, ANSWER_SHOWN) || '…' },
    {
      role: 'user',
      content: `${failure?.message} Write the code block of the cell and nothing else.`
    }
  ];
  if (
    failure?.code !== 'no-code' ||
    written.dispute ||
    session.request.target.kind !== 'code' ||
    !session.room(writing.model, again)
  ) {
    return written;
  }
  session.emit({ ...NOTHING, attempt });
  return (await answered(writing, again))?.written ?? written;
}

/** The answer to these messages; null where the budget has no room for it. */
async function answered(
  writing: Writing,
  messages: readonly ChatMessage[]
): Promise<{ readonly written: Written; readonly text: string } | null> {
  const { session, attempt, model, temperature, onCode } = writing;
  const most = mostTokens(session, attempt);
  let parser = newParser(writing);
  let text = '';
  /** Pieces of text that have come. */
  let pieces = 0;
  let inspected = 0;
  let inCode = false;
  /** At a limit of tokens, or since it runs on. */
  let isCut = false;

  const report = (delta: ParseDelta | null) => {
    if (delta) {
      session.emit({ type: 'candidate-delta', attempt, ...delta });
      if (delta.code !== '' && !inCode) {
        inCode = true;
        onCode();
      }
    }
  };

  /** More text than the task can need, or the same piece again and again. */
  const isRunaway = () => {
    if (text.length < inspected + 100) {
      return false;
    }
    inspected = text.length;
    const spoken = splitThinking(text).spoken.length;
    // A piece of text is a token at least; digits are many in few characters.
    const tokens =
      Math.max(1 / TOKEN_CHARACTERS, pieces / text.length) * spoken;
    return endsInCircles(text) || tokens > most;
  };

  const onEvent = (event: ModelEvent, soFar: string) => {
    text = soFar;
    // Text after the code, which nothing reads; a model that ends there says what it used.
    const isRemark =
      parser.isComplete && event.type === 'text' && event.text.trim() !== '';
    if (session.signal.aborted || isRemark) {
      return false;
    }
    if (event.type === 'text') {
      pieces++;
      report(parser.push(event.text));
    } else if (event.type === 'reasoning') {
      report(parser.reason(event.text));
    } else if (event.type === 'retry') {
      parser = newParser(writing);
      session.emit({ ...NOTHING, attempt });
    } else if (event.type === 'warning') {
      session.warn(event.message, attempt);
    }
    isCut ||= isRunaway();
    return !isCut;
  };

  try {
    const asked = {
      messages,
      ...(temperature === null ? {} : { temperature })
    };
    const call = await completeFor(
      session,
      attempt,
      'candidate',
      model,
      asked,
      { onEvent }
    );
    if (!call) {
      return null;
    }
    isCut ||= call.finishReason === 'length';
  } catch (error) {
    session.signal.throwIfAborted();
    throw stopAfter(error);
  }
  const { answer, delta } = parser.end();
  report(delta);
  if (answer.leftOut !== undefined) {
    session.warn(`Left out of the answer: ${answer.leftOut}.`, attempt);
  }
  const { dispute, kept } = answer;
  const code = wellFormed(answer.code);
  const isCode = session.request.target.kind === 'code';
  const failure = failureOf(answer, text, isCut, isCode);
  const written = {
    thoughts: wellFormed(answer.thoughts),
    code,
    ...(dispute && !isCut && failure?.code !== 'gap' ? { dispute } : {}),
    ...(failure ? { failure } : kept ? { kept } : {})
  };
  return { written, text };
}

/** Why there is no candidate to run; undefined where there is one. */
function failureOf(
  { gap, closed, code, leftOut }: ParsedAnswer,
  text: string,
  isCut: boolean,
  isCode: boolean
): Failure | undefined {
  if (gap !== undefined && !isCut) {
    const message = `The answer has "${gap}" in place of code, so nothing was run.`;
    return { code: 'gap', message };
  }
  if (code !== '' && !(isCut && !closed)) {
    return undefined;
  }
  if (isCut) {
    const message = text.trim()
      ? 'The answer was cut off by the token limit before the code was complete.'
      : 'The model used its whole limit of output tokens for thinking. Raise maxOutputTokens (--max-output-tokens), or choose a model that thinks less.';
    return { code: 'truncated', message };
  }
  const message =
    leftOut === undefined
      ? `The answer contained no ${isCode ? 'code' : 'text'}.`
      : 'The answer only repeats the checks.';
  return { code: 'no-code', message };
}

/** Of an answer, thinking not counted. */
function mostTokens({ request, state }: Session, attempt: number): number {
  const { target, prompt: task, assertions, options } = request;
  const earlier = state.attempts
    .filter(one => one.attempt > 0 && one.attempt < attempt)
    .map(({ code, failure }) => (failure ? 0 : code.length));
  const size = assertions.reduce(
    (sum, { source }) => sum + source.length,
    task.length + Math.max(target.source.length, ...earlier)
  );
  return options.maxOutputTokens === null
    ? (earlier.length > 0 ? MORE_TOKENS.later : MORE_TOKENS.first) +
        (ANSWER_TOKENS * size) / TOKEN_CHARACTERS
    : Infinity;
}

function newParser({ session, attempt, prompt }: Writing): AnswerParser {
  const { request, state } = session;
  const { language, target, ownNames = [], askedNames = [] } = request;
  const frame = frameFor(request, state.attempts, attempt);
  // The program that the prompt shows last is what the answer changes.
  const shown = state.attempts.find(one => one.attempt === prompt.shown);
  return new AnswerParser({
    language,
    kind: target.kind,
    disputes: numberedChecks(request).some(check => !check.skipped),
    around: {
      checks: request.assertions.map(cell => cell.source),
      above: request.context.cells
        .filter(cell => cell.kind === 'code')
        .map(cell => cell.source),
      cell: target.source,
      prompt: request.prompt
    },
    needs: boundBy(frame, language, [...ownNames, ...askedNames]),
    previous: shown?.code || target.source,
    keeps: {
      cell: target.source,
      names: namesToKeep(request),
      examples: keepsExamples(request)
    },
    ...(frame ? { frame } : {})
  });
}

/** Also of lines that only count: `if n == 69:`, `if n == 70:`; a table of numbers alone is data. */
function endsInCircles(text: string): boolean {
  const end = text.slice(-CIRCLE);
  const shape = end.replace(/\d+/g, '0');
  return (
    end.length === CIRCLE &&
    (repeats(end) || (/[a-z]{2}[^]*\n/i.test(shape) && repeats(shape)))
  );
}

/** Whether it is a piece of at most a quarter of it, again and again. */
function repeats(text: string): boolean {
  for (let size = 1; size < text.length / 4; size++) {
    if (text.startsWith(text.slice(size))) {
      return true;
    }
  }
  return false;
}
