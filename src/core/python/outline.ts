/** What a cell defines, without how. */
import type { SyntaxNode } from '@lezer/common';
import { topLevel } from './checks';
import { parsePython } from './syntax';

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

function docstringOf(body: SyntaxNode): SyntaxNode | null {
  const [first] = topLevel(body);
  return first?.firstChild?.name === 'String' ? first : null;
}
