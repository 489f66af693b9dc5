/** Python's tokens, as far as comparing two candidates needs them. */

export type Token = {
  readonly kind:
    'name' | 'number' | 'string' | 'operator' | 'newline' | 'indent' | 'dedent';
  readonly text: string;
};

const SPACE = /[ \t\f]+|\\\r?\n/y;
const COMMENT = /#[^\n]*/y;
const STRING =
  /(?:[rbuft]{0,3})(?:"""(?:[^\\]|\\[^])*?"""|'''(?:[^\\]|\\[^])*?'''|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*')/iy;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER =
  /(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)[jJ]?/y;
const OPERATOR =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|[-+*/%@&|^=!<>:]=|\*\*|\/\/|<<|>>|->|[^\s]/y;

/** Comments and blank lines are left out; line breaks inside brackets too. */
export function pythonTokens(source: string): readonly Token[] {
  const text = source.replace(/\r\n?/g, '\n');
  const tokens: Token[] = [];
  const indents = [0];
  let depth = 0;
  let at = 0;
  let lineStart = true;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) {
      return null;
    }
    at += match[0].length;
    return match[0];
  };
  while (at < text.length) {
    if (lineStart && depth === 0) {
      const width = take(/[ \t\f]*/y)?.replace(/\t/g, '        ').length ?? 0;
      if (take(/(?:#[^\n]*)?\n/y) !== null || at >= text.length) {
        continue;
      }
      indentTo(tokens, indents, width);
      lineStart = false;
    }
    if (text[at] === '\n') {
      at++;
      if (depth === 0) {
        tokens.push({ kind: 'newline', text: '\n' });
        lineStart = true;
      }
      continue;
    }
    if (take(SPACE) !== null || take(COMMENT) !== null) {
      continue;
    }
    const string = take(STRING);
    if (string !== null) {
      tokens.push({ kind: 'string', text: string });
      continue;
    }
    const name = take(NAME);
    if (name !== null) {
      tokens.push({ kind: 'name', text: name });
      continue;
    }
    const number = take(NUMBER);
    if (number !== null && number !== '') {
      tokens.push({ kind: 'number', text: number });
      continue;
    }
    const operator = take(OPERATOR) ?? text[at++];
    if ('([{'.includes(operator)) {
      depth++;
    } else if (')]}'.includes(operator)) {
      depth = Math.max(0, depth - 1);
    }
    tokens.push({ kind: 'operator', text: operator });
  }
  if (tokens.length > 0 && tokens[tokens.length - 1].kind !== 'newline') {
    tokens.push({ kind: 'newline', text: '\n' });
  }
  indentTo(tokens, indents, 0);
  return tokens;
}

function indentTo(tokens: Token[], indents: number[], width: number): void {
  if (width > indents[indents.length - 1]) {
    indents.push(width);
    tokens.push({ kind: 'indent', text: '' });
  }
  while (width < indents[indents.length - 1]) {
    indents.pop();
    tokens.push({ kind: 'dedent', text: '' });
  }
}
