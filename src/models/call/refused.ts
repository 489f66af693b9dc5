/** Answers that a model or its provider refused to give: named, and not asked for again. */
import { RefineError } from '../../core/errors';
import { ModelFailure } from '../transport/failure';
import { quote, type Where } from './messages';

/** Finish reasons of content filters, in the words of the providers. */
const FILTERS: ReadonlySet<string> = new Set([
  'content_filter',
  'content-filter',
  'safety',
  'blocked',
  'blocklist',
  'prohibited_content',
  'recitation',
  'spii'
]);

/**
 * The failure of an answer that ended with `finish` and held `refusal` instead
 * of text; null for an answer that was given.
 */
export function refused(
  where: Where,
  finish: string | null,
  refusal: string
): ModelFailure | null {
  const { host, model } = where;
  const word = finish?.toLowerCase() ?? '';
  if (FILTERS.has(word)) {
    return failure(
      `The content filter of ${host} stopped the answer of model ${model} (finish reason ${word}). Change the prompt, or choose another model.` +
        quote(where, refusal)
    );
  }
  if (word === 'refusal' || refusal.trim()) {
    return failure(
      `Model ${model} at ${host} refused to answer. Change the prompt, or choose another model.` +
        quote(where, refusal)
    );
  }
  return null;
}

function failure(message: string): ModelFailure {
  return new ModelFailure(
    new RefineError('model', message, { code: 'refused' })
  );
}
