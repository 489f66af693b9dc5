/** What is run of a candidate: itself, or for a prose target the name `response` that its assertions and scorer read. */
import { hasChecks } from './checks';
import type { RefineRequest } from './request';
import { wellFormed } from '../text/wellFormed';

/** The source to execute; null when nothing is to be run. */
export function sourceToRun(
  request: RefineRequest,
  candidate: string
): string | null {
  if (request.target.kind === 'code') {
    return wellFormed(candidate);
  }
  if (!hasChecks(request) && !request.scorer) {
    return null;
  }
  return assignment(request.language, JSON.stringify(wellFormed(candidate)));
}

/**
 * `response` as a statement of the language. Text is data: nothing in it is
 * interpolated.
 *
 * @param literal - the text in double quotes, escaped as in JSON.
 */
function assignment(language: string, literal: string): string {
  switch (language) {
    case 'python':
    case 'matlab':
    case 'octave':
      return `response = ${literal}`;
    case 'r':
      return `response <- ${literal}`;
    case 'javascript':
    case 'typescript':
      return `var response = ${literal};`;
    case 'julia':
      return `response = ${literal.replace(/\$/g, '\\$')}`;
    case 'ruby':
    case 'crystal':
    case 'elixir':
    case 'coffeescript':
      return `response = ${literal.replace(/#/g, '\\#')}`;
    default:
      // Where such an escape is unknown the text is another, and still no code.
      return `response = ${literal.replace(/[$#@`{}[\]()]/g, escaped)}`;
  }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
