/** What is written into the cell of an accepted attempt. */
import { languageOf } from '../core/languages/list';
import type {
  PromptOrigin,
  RefineRequest,
  Target
} from '../core/domain/request';
import { promptLines } from './prompt';

/**
 * The code of an attempt as its cell holds it: below the comment that is the
 * prompt, where the code left that out, and above the cell's own checks.
 *
 * @example
 * ```ts
 * // The cell held: # answer: the number 42
 * acceptedSource(request, 'answer = 42'); // # answer: the number 42\nanswer = 42
 * ```
 */
export function acceptedSource(
  {
    target,
    promptOrigin,
    language
  }: Pick<RefineRequest, 'target' | 'promptOrigin' | 'language'>,
  code: string
): string {
  const { below } = target;
  const whole = withPromptLines(target, promptOrigin, language, code);
  return below === undefined ? whole : whole.trimEnd() + below;
}

function withPromptLines(
  target: Target,
  promptOrigin: PromptOrigin,
  language: string,
  code: string
): string {
  if (promptOrigin !== 'comment' || code === '') {
    return code;
  }
  const asked = promptLines(target.source, language);
  const there = new Set(code.split('\n').map(line => line.trim()));
  if (asked.every(line => there.has(line))) {
    return code;
  }
  const { comment } = languageOf(language);
  const lines = code.split('\n');
  // A cell magic stays the first line.
  const magics = lines.findIndex(line => !line.startsWith('%%'));
  const kept = asked.filter(line => line !== comment);
  return [
    ...lines.slice(0, Math.max(0, magics)),
    ...kept,
    ...lines.slice(Math.max(0, magics))
  ].join('\n');
}

/** True for a source that is an attempt's, with the comment that is the prompt or without it. */
export function holdsAttempt(
  request: Parameters<typeof acceptedSource>[0],
  code: string,
  source: string
): boolean {
  return source === code || source === acceptedSource(request, code);
}
