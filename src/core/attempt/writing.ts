/** One streamed answer of a model, reported as it comes. */
import { estimatePrompt, type CallRoom } from '../session/budget/budget';
import { cutMiddle, wellFormed } from '../text/cut';
import { splitThinking } from '../text/thinking';
import { numberedChecks } from '../domain/checks/numberedChecks';
import { completeText } from '../session/complete';
import type { ChatMessage, ILanguageModel, ModelEvent } from '../domain/model';
import { frameFor } from '../part/place';
import { boundBy } from '../part/replacement';
import { namesToKeep } from '../parse/leftOut';
import {
  AnswerParser,
  type ParseDelta,
  type ParsedAnswer
} from '../parse/parse';
import type { RefineRequest } from '../domain/request';
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

export type Written = Pick<
  ParsedAnswer,
  'thoughts' | 'code' | 'dispute' | 'kept'
> & {
  /** Set when there is no candidate to run. */
  readonly failure?: { readonly code: string; readonly message: string };
};

export type WritingOptions = {
  readonly session: Session;
  readonly request: RefineRequest;
  readonly model: ILanguageModel;
  /** Null: the provider's default. */
  readonly temperature: number | null;
  readonly prompt: Assembled;
  readonly attempt: number;
  /** Code starts to arrive. */
  readonly onCode: () => void;
};

/** Asked once more, at no attempt's cost, of an answer that holds no code. */
const CODE_ONLY = 'The code block only.';

/**
 * @throws SessionStop `model-error` when the call failed before there was a
 * candidate, and the session's own stop.
 */
export async function writeCandidate(
  options: WritingOptions
): Promise<Written> {
  const { prompt, request } = options;
  const first = await answered(options, prompt.messages);
  if (!first) {
    throw new SessionStop('budget');
  }
  const { written, text } = first;
  if (
    written.failure?.code !== 'no-code' ||
    written.dispute ||
    request.target.kind !== 'code'
  ) {
    return written;
  }
  const again: readonly ChatMessage[] = [
    ...prompt.messages,
    { role: 'assistant', content: cutMiddle(text, ANSWER_SHOWN) || '…' },
    { role: 'user', content: CODE_ONLY }
  ];
  return (await answered(options, again, true))?.written ?? written;
}

/** The answer to these messages; null where the budget has no room for it. */
async function answered(
  options: WritingOptions,
  messages: readonly ChatMessage[],
  again = false
): Promise<{ readonly written: Written; readonly text: string } | null> {
  const { session, model, request, attempt } = options;
  const { maxOutputTokens } = request.options;
  const room = session.room(model, estimatePrompt(messages), maxOutputTokens);
  if (!room) {
    return null;
  }
  if (again) {
    session.emit({ ...NOTHING, attempt });
  }
  const answer = new Answer(options);
  try {
    await answer.read(messages, room);
  } catch (error) {
    session.signal.throwIfAborted();
    throw stopAfter(error);
  }
  return { written: answer.written(), text: answer.text };
}

class Answer {
  constructor(private readonly _options: WritingOptions) {
    const { session, attempt, request } = _options;
    this._parser = this._newParser();
    const { target, prompt: task, assertions, options } = request;
    const earlier = session.state.attempts
      .filter(one => one.attempt > 0 && one.attempt < attempt)
      .map(({ code, failure }) => (failure ? 0 : code.length));
    const size = assertions.reduce(
      (sum, { source }) => sum + source.length,
      task.length + Math.max(target.source.length, ...earlier)
    );
    this._mostTokens =
      options.maxOutputTokens === null
        ? (earlier.length > 0 ? MORE_TOKENS.later : MORE_TOKENS.first) +
          (ANSWER_TOKENS * size) / TOKEN_CHARACTERS
        : Infinity;
  }

  /** All of it, as far as it has come. */
  text = '';

  async read(messages: readonly ChatMessage[], room: CallRoom): Promise<void> {
    const { session, attempt, model, temperature } = this._options;
    await session.wait(
      completeText(
        model,
        { messages, ...(temperature === null ? {} : { temperature }) },
        {
          room,
          signal: session.signal,
          onCall: (usage, call) => {
            this._isCut ||= call.finishReason === 'length';
            session.addCall(attempt, 'candidate', usage, call);
          },
          onEvent: (event, text) => {
            this.text = text;
            if (session.signal.aborted || this._isRemark(event)) {
              return false;
            }
            this._take(event);
            this._isCut ||= this._isRunaway();
            return !this._isCut;
          }
        }
      )
    );
  }

  written(): Written {
    const { answer, delta } = this._parser.end();
    const cut = this._isCut;
    this._report(delta);
    if (answer.leftOut !== undefined) {
      const { session, attempt } = this._options;
      session.warn(`Left out of the answer: ${answer.leftOut}.`, attempt);
    }
    const { dispute, kept } = answer;
    const code = wellFormed(answer.code);
    const failure = this._failureOf(answer, code, cut);
    return {
      thoughts: wellFormed(answer.thoughts),
      code,
      ...(dispute && !cut && failure?.code !== 'gap' ? { dispute } : {}),
      ...(failure ? { failure } : kept ? { kept } : {})
    };
  }

  /** Why there is no candidate to run; undefined where there is one. */
  private _failureOf(
    { gap, closed }: ParsedAnswer,
    code: string,
    cut: boolean
  ): Written['failure'] {
    if (gap !== undefined && !cut) {
      const message = `The answer has "${gap}" in place of code, so nothing was run.`;
      return { code: 'gap', message };
    }
    if (code !== '' && !(cut && !closed)) {
      return undefined;
    }
    if (cut) {
      const message = this.text.trim()
        ? 'The answer was cut off by the token limit before the code was complete.'
        : 'The model used its whole limit of output tokens for thinking. Raise maxOutputTokens (--max-output-tokens), or choose a model that thinks less.';
      return { code: 'truncated', message };
    }
    const { kind } = this._options.request.target;
    const what = kind === 'code' ? 'code' : 'text';
    return { code: 'no-code', message: `The answer contained no ${what}.` };
  }

  /** Text after the code, which nothing reads; a model that ends there says what it used. */
  private _isRemark(event: ModelEvent): boolean {
    return (
      this._parser.isClosed && event.type === 'text' && event.text.trim() !== ''
    );
  }

  /** More text than the task can need, or the same piece again and again. */
  private _isRunaway(): boolean {
    const answer = this.text;
    if (answer.length < this._looked + 100) {
      return false;
    }
    this._looked = answer.length;
    const text = splitThinking(answer).spoken.length;
    // A piece of text is a token at least; digits are many in few characters.
    const tokens =
      Math.max(1 / TOKEN_CHARACTERS, this._pieces / answer.length) * text;
    return endsInCircles(answer) || tokens > this._mostTokens;
  }

  private _take(event: ModelEvent): void {
    const { session, attempt } = this._options;
    switch (event.type) {
      case 'text':
        this._pieces++;
        this._report(this._parser.push(event.text));
        break;
      case 'reasoning':
        this._report(this._parser.reason(event.text));
        break;
      case 'retry':
        this._parser = this._newParser();
        session.emit({ ...NOTHING, attempt });
        break;
      case 'reading':
        // What watches the model says it.
        break;
      case 'warning':
        session.warn(event.message, attempt);
        break;
      case 'end':
        break;
    }
  }

  private _report(delta: ParseDelta | null): void {
    if (delta) {
      const { session, attempt } = this._options;
      session.emit({ type: 'candidate-delta', attempt, ...delta });
      if (delta.code !== '' && !this._inCode) {
        this._inCode = true;
        this._options.onCode();
      }
    }
  }

  private _newParser() {
    const { session, attempt, request, prompt } = this._options;
    const { language, target, ownNames = [], askedNames = [] } = request;
    const frame = frameFor(request, session.state.attempts, attempt);
    const { attempts } = session.state;
    // The program that the prompt shows last is what the answer changes.
    const shown = attempts.find(one => one.attempt === prompt.shown);
    return new AnswerParser({
      language,
      kind: target.kind,
      disputes: numberedChecks(request).some(check => !check.skipped),
      around: {
        checks: request.assertions.map(cell => cell.source),
        above: request.context.cells
          .filter(cell => cell.kind === 'code')
          .map(cell => cell.source),
        prompt: request.prompt
      },
      needs: boundBy(frame, request.language, [...ownNames, ...askedNames]),
      previous: shown?.code || target.source,
      keeps: { cell: target.source, names: namesToKeep(request) },
      ...(frame ? { frame } : {})
    });
  }

  private _parser: AnswerParser;
  /** Thinking not counted. */
  private readonly _mostTokens: number;
  /** Of text that have come. */
  private _pieces = 0;
  private _looked = 0;
  private _inCode = false;
  /** At a limit of tokens, or since it runs on. */
  private _isCut = false;
}

function endsInCircles(text: string): boolean {
  const end = text.slice(-CIRCLE);
  for (let size = 1; end.length === CIRCLE && size < CIRCLE / 4; size++) {
    if (end.startsWith(end.slice(size))) {
      return true;
    }
  }
  return false;
}
