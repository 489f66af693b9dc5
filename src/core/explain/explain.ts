/** Answers in words, to a question about a session or on an error. Text only: nothing is run or written. */
import { RefineError } from '../errors';
import type { ILanguageModel, ModelCall, Usage } from '../domain/model';
import type { RefineRequest } from '../domain/request';
import { callRoom } from '../session/budget/budget';
import { completeText } from '../session/complete';
import { explanationMessages, type Asked } from './messages';

export type { Asked, ShownError } from './messages';

export type ExplainDeps = {
  readonly model: ILanguageModel;
  readonly signal: AbortSignal;
  /** Called with the whole text so far. */
  readonly onText: (text: string) => void;
  /** Called once, also when the call fails or is stopped. */
  readonly onCall: (usage: Usage, call: ModelCall) => void;
};

/**
 * The whole answer, in Markdown.
 *
 * @throws RefineError kind `budget` when the settings leave no room for the call,
 * `model` when it failed or came without text; the signal's reason when it was stopped.
 */
export async function explain(
  request: RefineRequest,
  asked: Asked,
  { model, signal, onText, onCall }: ExplainDeps
): Promise<string> {
  const messages = explanationMessages(request, asked);
  const room = callRoom(messages, request.options, model);
  if (!room) {
    throw new RefineError(
      'budget',
      'The limits of the settings (maxTokens, maxCost) leave no room for an answer.',
      {
        code: 'budget'
      }
    );
  }
  const text = await completeText(
    model,
    { messages },
    { room, onEvent: (_, text) => onText(text), onCall, signal }
  );
  if (text.trim() === '') {
    throw new RefineError('model', 'The answer was empty. Ask again.');
  }
  return text;
}
