/** Whether a cell holds nothing to run. */
import type { Target } from '../domain/request';
import { children, parseTree } from './syntax';

/** True for a source of blank lines, comments, docstrings and a `%%refine` line. */
export function isBlankSource(source: string, language: string): boolean {
  const text = source.replace(/^[ \t]*%%refine.*$/gm, '');
  if (language !== 'python') {
    return text.split('\n').every(line => /^\s*(?:#.*)?$/.test(line));
  }
  return children(parseTree(text).topNode).every(node => {
    const [first, ...others] =
      node.name === 'ExpressionStatement' ? children(node) : [];
    const isDocstring =
      first?.name === 'String' &&
      others.length === 0 &&
      /^[ru]?["']/i.test(text.slice(first.from, first.to));
    return node.name === 'Comment' || isDocstring;
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
