/** Examples (`>>> f(2)`) in the docstrings of a cell are checks of its author: an answer that loses them gets them back. */
import { docstringOf } from '../python/cell';
import { topLevel } from '../python/checks';
import { parsePython, undecorated } from '../python/syntax';
import type { SyntaxNode } from '@lezer/common';

type Documented = {
  /** `Class.method` */
  readonly name: string;
  /** Position of its first statement, which a docstring is. */
  readonly at: number;
  readonly indent: string;
  /** With its quotes; empty where it has none. */
  readonly docstring: string;
};

/**
 * The code with the docstrings of the cell where it has none of the same examples.
 *
 * @returns `kept`: names of the functions and classes whose docstring was put back.
 */
export function withExamples(code: string, cell: string) {
  const kept: string[] = [];
  let text = code;
  if (!cell.includes('>>>')) {
    return { code, kept };
  }
  const before = documented(cell);
  for (const { name, at, indent, docstring } of documented(code).reverse()) {
    const old = before.find(other => other.name === name);
    const present = linesOf(docstring);
    if (old && !examplesOf(old.docstring).every(l => present.includes(l))) {
      const own = old.docstring.replaceAll(`\n${old.indent}`, `\n${indent}`);
      const rest = text.slice(at + docstring.length);
      const end = docstring === '' ? `\n${indent}` : '';
      text = text.slice(0, at) + own + end + rest;
      kept.unshift(`the examples of ${name}`);
    }
  }
  return { code: text, kept };
}

/** With what they give. */
function examplesOf(docstring: string): readonly string[] {
  const lines = linesOf(docstring);
  const first = lines.findIndex(line => line.startsWith('>>>'));
  return first < 0 ? [] : lines.slice(first);
}

function linesOf(docstring: string): readonly string[] {
  return docstring.split(/\n|"{3}|'{3}/).map(line => line.trim());
}

/** Functions and classes with a body on lines of its own, those in classes too, in order. */
function documented(source: string): Documented[] {
  const { root } = parsePython(source);
  const within = (node: SyntaxNode, path: string): Documented[] =>
    topLevel(node).flatMap(statement => {
      const definition = undecorated(statement);
      const body = definition.getChild('Body');
      const own = definition.getChild('VariableName');
      const [first] = body ? topLevel(body) : [];
      if (!body || !own || !first || !/Definition$/.test(definition.name)) {
        return [];
      }
      const name = path + source.slice(own.from, own.to);
      const line = source.lastIndexOf('\n', first.from) + 1;
      const indent = source.slice(line, first.from);
      const at = first.from;
      const docstring = docstringOf(body) ? source.slice(at, first.to) : '';
      return [
        ...(indent.trim() === '' ? [{ name, at, indent, docstring }] : []),
        ...(definition.name === 'ClassDefinition'
          ? within(body, `${name}.`)
          : [])
      ];
    });
  return within(root, '');
}
