/** Checks as the plain live executor runs them: without the kernel part, in any language. */
import type { CheckCell } from '../core/request';

/** Code to execute for one check, or to prepare for the checks after it. */
export type LiveCheck = {
  readonly id: string;
  readonly cellId: string;
  readonly role: 'assertion' | 'holdout';
  /** Line in its cell, from 1. */
  readonly line: number;
  readonly source: string;
  readonly code: string;
  /** False for a cell that only defines what the checks after it call. */
  readonly counts: boolean;
};

const SOURCE_LIMIT = 2000;

/**
 * A check that must fail, by language: a kernel that lets it pass can pass
 * anything.
 */
const CANARIES: Readonly<Record<string, string>> = {
  python: 'assert False',
  r: 'stopifnot(FALSE)',
  julia: '@assert false'
};

/** Null for a language whose failing check is not known. */
export function canaryOf(language: string): string | null {
  return CANARIES[language] ?? null;
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
    const whole: LiveCheck = {
      id: `${cell.cellId}:1`,
      cellId: cell.cellId,
      role: cell.role,
      line: 1,
      source: cell.source.slice(0, SOURCE_LIMIT),
      code: cell.source,
      counts: tests.length === 0 || /^assert\b/m.test(cell.source)
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

/** True when an error is a check that did not hold, and not one that could not be made. */
export function isAssertionFailure(
  language: string,
  name: string,
  message: string
): boolean {
  if (language === 'r') {
    // R's errors have no names; those that stopifnot and testthat raise name no call.
    return /^Error: /.test(message);
  }
  return /^(AssertionError|AssertionFailedError|TestSetException)$/.test(name);
}
