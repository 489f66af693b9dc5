/** Checks as the plain live executor runs them: without the kernel part, in any language. */
import { languageOf } from '../../core/languages/list';
import { scriptStatements } from '../../core/languages/script';
import type { Statement } from '../../core/languages/language';
import type { CheckCell } from '../../core/domain/request';

/** Code to execute for one check, or to prepare for the checks after it. */
export type LiveCheck = {
  readonly id: string;
  readonly cellId: string;
  readonly role: 'assertion' | 'holdout';
  /** Line in its cell, from 1. */
  readonly line: number;
  readonly source: string;
  readonly code: string;
  /** False for what only defines what the checks after it need. */
  readonly counts: boolean;
  /** Why running it checks nothing, as far as that is known. */
  readonly nothing?: string;
};

const SOURCE_LIMIT = 2000;

/** Calls that only give a value, as a comparison does; anything else may fail by itself. */
const PURE =
  /^(all|any|identical|all\.equal|isTRUE|isFALSE|is\.\w+|inherits|length|nrow|ncol|dim|names|class|nchar|sum|mean|abs|round|sqrt|c|list|sort|unique|size|isequal|isapprox|typeof)$/;
const FAILS = /\b(assert\w*|stop\w*|raise|throw|error|expect\w*|test\w*)\b/i;

/** Why a cell cannot fail, as a whole or in a part that looks like a check; null when it may. */
function nothingIn(
  cell: CheckCell,
  language: string,
  statements: readonly Statement[]
): string | null {
  const { checkWord: word, commandsFail, neverFails } = languageOf(language);
  const textOf = ({ from, to }: Statement) =>
    cell.source.slice(from, to).trim();
  const never = neverFails.find(({ pattern }) =>
    statements.some(statement => pattern.test(textOf(statement)))
  );
  if (never) {
    return `nothing is checked here: ${never.what} never fails in this kernel; write ${never.instead}`;
  }
  if (
    statements.some(({ kind }) => kind === 'check') ||
    (commandsFail
      ? statements.at(-1)?.kind === 'other'
      : FAILS.test(cell.source))
  ) {
    return null;
  }
  const calls = [...cell.source.matchAll(/([\w.]+)\s*\(/g)].map(
    ([, name = '']) => name
  );
  if (!commandsFail && !calls.every(call => PURE.test(call))) {
    return null;
  }
  return word
    ? `nothing in this cell can fail: the value of an expression is not checked; write ${word}`
    : 'nothing in this cell can fail: the value of an expression is not checked';
}

/** Each cell is one check. */
export function liveChecks(
  cells: readonly CheckCell[],
  language: string
): readonly LiveCheck[] {
  return cells.map(cell => {
    const statements =
      language === 'python' ? [] : scriptStatements(cell.source, language);
    const nothing =
      language === 'python' ? null : nothingIn(cell, language, statements);
    return {
      id: `${cell.cellId}:1`,
      cellId: cell.cellId,
      role: cell.role,
      line: 1,
      source: cell.source.slice(0, SOURCE_LIMIT),
      code: languageOf(language).asCheck(cell.source, statements),
      counts: true,
      ...(nothing === null ? {} : { nothing })
    };
  });
}
