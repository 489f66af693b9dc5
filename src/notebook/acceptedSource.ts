/** What is written into the cell of an accepted attempt. */
import { languageOf } from '../core/languages/list';
import type { RefineRequest } from '../core/domain/request';
import { promptLines } from './prompt';

type Asked = Pick<RefineRequest, 'target' | 'promptOrigin' | 'language'>;

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
  { target, promptOrigin, language }: Asked,
  code: string
): string {
  const asked =
    promptOrigin === 'comment' && code !== ''
      ? promptLines(target.source, language)
      : [];
  const lines = code.split('\n');
  const there = new Set(lines.map(line => line.trim()));
  if (!asked.every(line => there.has(line))) {
    const { comment } = languageOf(language);
    // A cell magic stays the first line.
    const magics = lines.findIndex(line => !line.startsWith('%%'));
    const kept = asked.filter(line => line !== comment);
    lines.splice(Math.max(0, magics), 0, ...kept);
  }
  const whole = lines.join('\n');
  return target.below === undefined ? whole : whole.trimEnd() + target.below;
}

/** True for a source that is an attempt's, with the comment that is the prompt or without it. */
export function holdsAttempt(
  request: Asked,
  code: string,
  source: string
): boolean {
  return source === code || source === acceptedSource(request, code);
}
