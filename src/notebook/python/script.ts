/** Statements of languages that are read by lines: R, Julia and, in general terms, others. */
import type { Statement, StatementKind } from './statement';

type Script = {
  readonly comment: RegExp;
  readonly checks: RegExp;
  readonly setsUp: RegExp;
  /** Keywords that open and close a block beside brackets. */
  readonly opens?: RegExp;
  readonly closes?: RegExp;
};

const SCRIPTS: Readonly<Record<string, Script>> = {
  r: {
    comment: /#.*$/,
    checks:
      /^(stopifnot|(testthat::)?(expect_\w+|test_that)|(assertthat::)?(assert_that|see_if)|(checkmate::)?assert\w*)\s*\(/,
    setsUp:
      /^([\w.$[\]"'@]+\s*(<<?-|=(?!=))|(library|require|suppress\w+|source|set\.seed|options|print|cat|message)\s*\()/
  },
  julia: {
    comment: /#.*$/,
    checks: /^@(assert|test\w*|testset)\b/,
    setsUp:
      /^(using|import|const|function|struct|mutable|macro|abstract|println?\b|Random\.seed!|[\w.[\]"':, ()]+\s*[-+*/]?=(?!=))/,
    opens:
      /\b(function|begin|if|for|while|let|struct|module|try|do|quote|macro)\b/g,
    closes: /\bend\b/g
  }
};

const OTHER: Script = {
  comment: /(#|\/\/).*$/,
  checks: /^(console\.)?(assert\w*|expect|should)\b/i,
  setsUp:
    /^(import|using|let|const|var|val|def|fun|function|require|open|#include|use)\b|^[\w.]+\s*:?=(?!=)/
};

/** Top-level statements: lines joined while a bracket or a block is open. */
export function scriptStatements(
  source: string,
  language: string
): readonly Statement[] {
  const script = SCRIPTS[language] ?? OTHER;
  const statements: Statement[] = [];
  let depth = 0;
  let open: { line: number; text: string } | null = null;
  source.split('\n').forEach((line, index) => {
    const bare = bareLine(line, script);
    if (open) {
      open.text += `\n${line}`;
    } else if (bare.trim()) {
      open = { line: index + 1, text: line };
    }
    depth = Math.max(0, depth + depthChange(bare, script));
    if (open && depth === 0) {
      statements.push(statement(open, script));
      open = null;
    }
  });
  if (open) {
    statements.push(statement(open, script));
  }
  return statements;
}

function statement(
  open: { readonly line: number; readonly text: string },
  script: Script
): Statement {
  const source = open.text.trim();
  const kind: StatementKind = script.checks.test(source)
    ? 'check'
    : script.setsUp.test(source)
      ? 'set-up'
      : 'other';
  return { kind, line: open.line };
}

function depthChange(line: string, script: Script): number {
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
function bareLine(line: string, script: Script): string {
  let bare = line
    .replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/g, '""')
    .replace(script.comment, '');
  for (let before = ''; before !== bare;) {
    before = bare;
    bare = bare.replace(/\([^()[\]{}]*\)|\[[^()[\]{}]*\]/g, '""');
  }
  return bare;
}
