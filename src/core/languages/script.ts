/** Statements of languages that are read by lines: R, Julia and, in general terms, others. */
import type { Statement, StatementKind, StatementPatterns } from './language';
import { languageOf } from './list';

/** Top-level statements: lines joined while a bracket or a block is open. */
export function scriptStatements(
  source: string,
  language: string
): readonly Statement[] {
  const script = languageOf(language).statements;
  const statements: Statement[] = [];
  let depth = 0;
  let open: { line: number; from: number; text: string } | null = null;
  let from = 0;
  const close = () => {
    if (open) {
      const { line, from: start, text } = open;
      const to = start + text.trimEnd().length;
      const kind = kindOf(text.trim(), script);
      statements.push({ kind, line, from: start, to });
      open = null;
    }
  };
  source.split('\n').forEach((line, index) => {
    const bare = bareLine(line, script);
    if (open) {
      open.text += `\n${line}`;
    } else if (bare.trim()) {
      open = { line: index + 1, from, text: line };
    }
    depth = Math.max(0, depth + depthChange(bare, script));
    if (depth === 0 && !script.goesOn?.test(bare)) {
      close();
    }
    from += line.length + 1;
  });
  close();
  return statements;
}

function kindOf(source: string, script: StatementPatterns): StatementKind {
  return script.checks.test(source)
    ? 'check'
    : script.setsUp.test(source)
      ? 'set-up'
      : 'other';
}

function depthChange(line: string, script: StatementPatterns): number {
  const count = (pattern: RegExp | undefined) =>
    pattern ? (line.match(pattern) ?? []).length : 0;
  return (
    count(/[([{]/g) -
    count(/[)\]}]/g) +
    count(script.opens) -
    count(script.closes)
  );
}

/** A line without what says nothing of open blocks: text, comments, closed brackets. */
function bareLine(line: string, script: StatementPatterns): string {
  let bare = line
    .replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/g, '""')
    .replace(script.comment, '');
  for (let before = ''; before !== bare;) {
    before = bare;
    bare = bare.replace(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]/g, '""');
  }
  return bare;
}
