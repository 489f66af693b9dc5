/** Whether a cell holds nothing to run. */
import type { Target } from '../domain/request';
import { parseTree } from './syntax';

/** True for a source of blank lines, comments, docstrings and a `%%refine` line. */
export function isBlankSource(source: string, language: string): boolean {
  const text = source.replace(/^[ \t]*%%refine.*$/gm, '');
  if (language !== 'python') {
    return /^(?:\s*(?:#.*)?(?:\n|$))*$/.test(text);
  }
  for (
    let node = parseTree(text).topNode.firstChild;
    node;
    node = node.nextSibling
  ) {
    const expression =
      node.name === 'ExpressionStatement' ? node.firstChild : null;
    const isDocstring =
      expression?.name === 'String' &&
      /^[ru]?["']/i.test(text.slice(expression.from, expression.to));
    if (node.name !== 'Comment' && !isDocstring) {
      return false;
    }
  }
  return true;
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
