/** What a cell holds as a whole, without running it: anything at all, and what a caller sees of its functions. */
import type { SyntaxNode } from '@lezer/common';
import type { Target } from '../domain/request';
import { topLevel } from './checks';
import { children, parsePython, parseTree } from './syntax';

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

/**
 * The source with a docstring or `...` for each body of a function; empty where it
 * defines no function, or is not Python.
 */
export function outline(source: string, language: string): string {
  if (language !== 'python') {
    return '';
  }
  const { root } = parsePython(source);
  let text = '';
  let at = 0;
  root.cursor().iterate(({ name, node }) => {
    const body = name === 'FunctionDefinition' && node.getChild('Body');
    if (!body) {
      return true;
    }
    const docstring = docstringOf(body);
    text += docstring
      ? source.slice(at, docstring.to)
      : `${source.slice(at, body.from + 1)} ...`;
    at = source.slice(0, body.to).trimEnd().length;
    return false;
  });
  return at === 0 ? '' : text + source.slice(at);
}

/** The statement that is the docstring of a body. */
export function docstringOf(body: SyntaxNode): SyntaxNode | null {
  const [first] = topLevel(body);
  return first?.firstChild?.name === 'String' ? first : null;
}
