/** Checks as the plain live executor runs them: without the kernel part, in any language. */
import { languageOf } from '../../core/languages/list';
import type { CheckCell } from '../../core/domain/request';
import { sentence } from '../../core/messages/sentence';

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
/** Why a cell without a known check cannot fail; null when it may. */
function nothingIn(cell: CheckCell, language: string): string | null {
  if (cell.statements > 0 || FAILS.test(cell.source)) {
    return null;
  }
  const calls = [...cell.source.matchAll(/([\w.]+)\s*\(/g)].map(
    ([, name = '']) => name
  );
  if (!calls.every(call => PURE.test(call))) {
    return null;
  }
  const word = languageOf(language).checkWord;
  return word
    ? sentence('live.expression-use', word)
    : sentence('live.expression');
}

/**
 * Each cell is one check. In Python, test functions are checks of their own:
 * defining one checks nothing.
 */
export function liveChecks(
  cells: readonly CheckCell[],
  language: string
): readonly LiveCheck[] {
  return cells.flatMap(cell => {
    const tests = language === 'python' ? testFunctions(cell) : [];
    const nothing = nothingIn(cell, language);
    const whole: LiveCheck = {
      id: `${cell.cellId}:1`,
      cellId: cell.cellId,
      role: cell.role,
      line: 1,
      source: cell.source.slice(0, SOURCE_LIMIT),
      code: cell.source,
      counts: tests.length === 0 || /^assert\b/m.test(cell.source),
      ...(nothing === null ? {} : { nothing })
    };
    return [whole, ...tests];
  });
}

function testFunctions(cell: CheckCell): readonly LiveCheck[] {
  return cell.source.split('\n').flatMap((text, index) => {
    const found = /^(async\s+)?def\s+(test_\w*)\s*\(/.exec(text);
    if (found === null) {
      return [];
    }
    const call = `${found[1] ? 'await ' : ''}${found[2]}()`;
    return [
      {
        id: `${cell.cellId}:${index + 1}`,
        cellId: cell.cellId,
        role: cell.role,
        line: index + 1,
        source: call,
        code: call,
        counts: true
      }
    ];
  });
}
