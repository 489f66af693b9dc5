/** A model's answer as one text, where nothing is shown while it streams. */
import { RefineError } from '../errors';
import { sentence } from '../messages/sentence';
import { estimateUsage, isBeyond } from './estimate';
import {
  believedUsage,
  type ILanguageModel,
  type ModelRequest,
  type Usage
} from '../domain/model';
import { pricedUsage, pricesOf } from './prices';

/**
 * @param onUsage - called once, also when the call fails or is aborted.
 * @throws RefineError of the model, or the signal's reason.
 */
export async function completeText(
  model: ILanguageModel,
  request: ModelRequest,
  onUsage: (usage: Usage) => void,
  signal: AbortSignal
): Promise<string> {
  let text = '';
  let received = '';
  let usage: Usage | null = null;
  let reported = false;
  const account = () => {
    if (!reported) {
      reported = true;
      onUsage(
        pricedUsage(
          believedUsage(usage) ?? estimateUsage(request.messages, received),
          pricesOf(model)
        )
      );
    }
  };
  // At once: a call that does not listen to its signal outlives its session.
  signal.addEventListener('abort', account, { once: true });
  try {
    for await (const event of model.generate(request, signal)) {
      if (event.type === 'text') {
        text += event.text;
        received += event.text;
      } else if (event.type === 'reasoning') {
        received += event.text;
      } else if (event.type === 'retry') {
        text = '';
      } else if (event.type === 'end') {
        usage = event.usage;
      }
      if (isBeyond(received.length, request.maxOutputTokens ?? null)) {
        usage ??= estimateUsage(request.messages, received);
        break;
      }
    }
    if (usage === null) {
      throw new RefineError('model', sentence('answer.cut-short'), {
        code: 'stream-cut'
      });
    }
    return text;
  } finally {
    signal.removeEventListener('abort', account);
    account();
  }
}
