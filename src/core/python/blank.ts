/** Whether a cell holds nothing to run. */
import type { Target } from '../domain/request';
import { children, parseTree } from './syntax';

/** True for a source of blank lines, comments, docstrings and a `%%refine` line. */
export function isBlankSource(source: string, language: string): boolean {
  const text = source.replace(/^[ \t]*%%refine.*$/gm, '');
  if (language !== 'python') {
    return /^(?:\s*(?:#.*)?(?:\n|$))*$/.test(text);
  }
  return children(parseTree(text).topNode).every(node => {
    const string =
      node.name === 'ExpressionStatement' && node.getChild('String');
    return (
      node.name === 'Comment' ||
      (string && /^[ru]?["']/i.test(text.slice(string.from, string.to)))
    );
  });
}

/** True when there is no attempt 0: a target that holds nothing to run, or no text. */
export function isBlankTarget(
  target: Pick<Target, 'kind' | 'source'>,
  language: string
): boolean {
  return target.kind === 'code'
    ? isBlankSource(target.source, language)
    : target.source.trim() === '';
}
