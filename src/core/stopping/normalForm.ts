/** When two candidates are the same program. */
import { pythonTokens, type Token } from '../python/tokens';
import { recent } from '../text/recent';

/**
 * Equal for candidates that differ only in comments, layout and, in Python,
 * the names of local variables. Parameters keep their names, since a check may
 * pass them by name.
 */
export function normalForm(source: string, language: string): string {
  if (language !== 'python') {
    return source
      .split('\n')
      .map(line =>
        line
          .replace(/(^|\s)#.*$/, '')
          .trim()
          .replace(/\s+/g, ' ')
      )
      .filter(line => line !== '')
      .join('\n');
  }
  return pythonForm(source);
}

const pythonForm = recent(source => {
  const tokens = [...pythonTokens(source)];
  renameLocals(tokens);
  return tokens.map(token => token.text || `<${token.kind}>`).join(' ');
});

/** In place, function by function, inner ones with the names of the outer ones done. */
function renameLocals(tokens: Token[]): void {
  let count = 0;
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind === 'name' && text === 'def') {
      const body = functionBody(tokens, i);
      if (body) {
        for (const name of localNames(tokens, i, body)) {
          rename(tokens, body, name, `local${count++}'`);
        }
      }
    }
  }
}

/** Beyond the last token there is only the end of the last line. */
function tokenAt(tokens: readonly Token[], at: number): Token {
  return tokens[at] ?? { kind: 'newline', text: '' };
}

type Range = { readonly start: number; readonly end: number };

/** The block after the colon of the `def` at `at`; null for a body on the same line. */
function functionBody(tokens: readonly Token[], at: number): Range | null {
  const start = tokens.findIndex((t, i) => i > at && t.kind === 'newline') + 1;
  if (start === 0 || tokens[start]?.kind !== 'indent') {
    return null;
  }
  let depth = 0;
  for (const [i, { kind }] of tokens.entries()) {
    if (i < start) {
      continue;
    }
    depth += Number(kind === 'indent');
    depth -= Number(kind === 'dedent');
    if (depth === 0) {
      return { start, end: i };
    }
  }
  return { start, end: tokens.length };
}

/** Names that the body assigns, in order, without parameters and what is declared global or nonlocal. */
function localNames(
  tokens: readonly Token[],
  def: number,
  body: Range
): readonly string[] {
  const kept = new Set(['self', 'cls', '_']);
  for (const { kind, text } of tokens.slice(def, body.start)) {
    if (kind === 'name') {
      kept.add(text);
    }
  }
  const found = new Set<string>();
  let depth = 0;
  for (let i = body.start; i < body.end; i++) {
    const { kind, text } = tokenAt(tokens, i);
    depth += Number('([{'.includes(text) && kind === 'operator');
    depth -= Number(')]}'.includes(text) && kind === 'operator');
    if (kind === 'name' && (text === 'global' || text === 'nonlocal')) {
      for (; tokenAt(tokens, i).kind !== 'newline'; i++) {
        kept.add(tokenAt(tokens, i).text);
      }
    } else if (kind === 'name' && text === 'class') {
      // What a class binds is read as an attribute, from anywhere.
      return [];
    } else if (kind === 'name' && text === 'def') {
      // The names of an inner function's parameters are seen by its callers.
      for (i++; i < body.end && tokenAt(tokens, i).kind !== 'newline'; i++) {
        kept.add(tokenAt(tokens, i).text);
      }
    } else if (kind === 'name' && text === 'lambda') {
      for (; i < body.end && tokenAt(tokens, i).text !== ':'; i++) {
        kept.add(tokenAt(tokens, i).text);
      }
    } else if (kind === 'name' && isTarget(tokens, i, depth)) {
      found.add(text);
    }
  }
  // An f-string, `query('@name')` or `locals()` uses a name inside a string.
  const strings = tokens
    .slice(body.start, body.end)
    .filter(token => token.kind === 'string' || token.text === 'locals')
    .map(token => token.text)
    .join('\n');
  return strings.includes('locals')
    ? []
    : [...found].filter(name => !kept.has(name) && !strings.includes(name));
}

const ASSIGN = /^(?:=|:=|[-+*/%@&|^]=|\*\*=|\/\/=|>>=|<<=)$/;

/** `name = …`, `a, name = …`, `for name in`, `as name`, `(name := …)`, not `f(name=…)` or `x.name`. */
function isTarget(
  tokens: readonly Token[],
  at: number,
  depth: number
): boolean {
  const before = tokens[at - 1]?.text ?? '';
  const after = tokens[at + 1]?.text ?? '';
  if (before === '.' || KEYWORDS.has(tokenAt(tokens, at).text)) {
    return false;
  }
  if (before === 'as' || before === 'for' || after === ':=') {
    return true;
  }
  if (depth > 0) {
    return before === ',' && after === 'in';
  }
  if (ASSIGN.test(after)) {
    return true;
  }
  return after === ',' || after === ':' || after === 'in'
    ? statementAssigns(tokens, at)
    : false;
}

/** True for a name in the target list of an assignment or a `for`, or with an annotation. */
function statementAssigns(tokens: readonly Token[], at: number): boolean {
  let start = at;
  while (
    start > 0 &&
    !['newline', 'indent', 'dedent'].includes(tokenAt(tokens, start - 1).kind)
  ) {
    start--;
  }
  const first = tokenAt(tokens, start).text;
  if (first === 'for') {
    const end = tokens.findIndex((t, i) => i > start && t.text === 'in');
    return at < end;
  }
  if (tokenAt(tokens, at + 1).text === ':') {
    return at === start;
  }
  const end = tokens.findIndex((t, i) => i > at && t.kind === 'newline');
  const assign = tokens.findIndex(
    (t, i) => i > at && i < end && t.kind === 'operator' && ASSIGN.test(t.text)
  );
  return (
    assign > 0 &&
    tokens
      .slice(start, assign)
      .every(t => t.kind === 'name' || t.text === ',' || t.text === '*')
  );
}

const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield True False None'.split(
    ' '
  )
);

/** Every use in the range but attributes and names of keyword arguments. */
function rename(tokens: Token[], range: Range, name: string, to: string): void {
  let depth = 0;
  for (let i = range.start; i < range.end; i++) {
    const { kind, text } = tokenAt(tokens, i);
    depth += Number(kind === 'operator' && '([{'.includes(text));
    depth -= Number(kind === 'operator' && ')]}'.includes(text));
    if (
      kind === 'name' &&
      text === name &&
      tokens[i - 1]?.text !== '.' &&
      !(depth > 0 && tokens[i + 1]?.text === '=')
    ) {
      tokens[i] = { kind, text: to };
    }
  }
}
