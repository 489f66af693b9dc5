/** Python's tokens, as far as comparing two candidates needs them. */
import type { SyntaxNodeRef, TreeCursor } from '@lezer/common';
import { isString, parseTree } from './syntax';

export type Token = {
  readonly kind:
    'name' | 'number' | 'string' | 'operator' | 'newline' | 'indent' | 'dedent';
  readonly text: string;
};

/** A colon with nothing but a comment after it: the block is on lines of its own. */
const ON_LINES = /^:(?:[ \t\f]|\\\n|#[^\n]*)*\n/;

/** Comments and blank lines are left out; line breaks inside brackets too. */
export function pythonTokens(source: string): readonly Token[] {
  const text = `${source.replace(/\r\n?/g, '\n')}\n`;
  const tokens: Token[] = [];
  let blocks: Token[] = [];
  let depth = 0;
  let end = 0;
  /** What stands between two tokens: blanks, comments, and what the parser skipped. */
  const gap = (to: number) => {
    const between = text
      .slice(end, to)
      .replace(/#[^\n]*/g, '')
      .replace(/\\\n/g, '');
    if (depth === 0 && between.includes('\n') && tokens.length > 0) {
      tokens.push({ kind: 'newline', text: '\n' });
    }
    tokens.push(...blocks);
    blocks = [];
    if (between.trim() !== '') {
      tokens.push({ kind: 'operator', text: between.trim() });
    }
  };
  const isBlock = ({ name, from, to }: SyntaxNodeRef) =>
    /^(?:Match)?Body$/.test(name) && ON_LINES.test(text.slice(from, to));
  const leaf = ({ name, from, to }: SyntaxNodeRef) => {
    if (from === to || name === 'Comment' || name === 'Script') {
      return;
    }
    gap(from);
    const token = text.slice(from, to);
    tokens.push({ kind: kindOf(name, token), text: token });
    end = to;
    depth += Number(/^[([{]$/.test(token)) - Number(/^[)\]}]$/.test(token));
    depth = Math.max(0, depth);
  };
  const walk = (cursor: TreeCursor) => {
    const block = isBlock(cursor);
    if (isString(cursor.name) || !cursor.firstChild()) {
      leaf(cursor);
      return;
    }
    walk(cursor);
    if (block) {
      // The first child was the colon.
      blocks.push({ kind: 'indent', text: '' });
    }
    while (cursor.nextSibling()) {
      walk(cursor);
    }
    cursor.parent();
    if (block) {
      blocks.push({ kind: 'dedent', text: '' });
    }
  };
  walk(parseTree(text).cursor());
  depth = 0;
  gap(text.length);
  return tokens;
}

function kindOf(node: string, text: string): Token['kind'] {
  if (isString(node)) {
    return 'string';
  }
  if (node === 'Number') {
    return 'number';
  }
  return /^[\p{L}_]/u.test(text) ? 'name' : 'operator';
}
