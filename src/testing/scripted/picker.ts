/** Which answer of a script a request gets. */
import * as z from 'zod';
import type { Answer, Script } from './script';

/** What the server reads of a request; everything else is only logged. */
export const chatRequestSchema = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })),
  stream: z.boolean().optional()
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;

/** The text of all messages. */
export function promptText(request: ChatRequest): string {
  return request.messages
    .map(({ content }) =>
      typeof content === 'string' ? content : JSON.stringify(content)
    )
    .join('\n');
}

export type Pick = { readonly answer: Answer; readonly index: number };

/** Hands out the answers of one script and counts how often each was used. */
export class AnswerPicker {
  constructor(private readonly script: Script) {}

  /** The next answer for this request, or null when the script has none left. */
  pick(request: ChatRequest): Pick | null {
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
    return { answer, index };
  }

  private readonly _used = new Map<number, number>();
}

/** The first parameter of the request that the answer's fault `reject` names: such a request uses up no answer. */
export function rejects(answer: Answer, request: ChatRequest): string | null {
  if (answer.fault?.type !== 'reject') {
    return null;
  }
  return answer.fault.parameters.find(name => name in request) ?? null;
}
