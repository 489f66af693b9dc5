/**
 * The visible checks by number: how a model names one, and how one is left out.
 *
 * Numbers count the checking statements of all assertion cells from 1, in the
 * order in which they run. A skipped one keeps its number: earlier attempts speak of it.
 */
import { scriptStatements } from '../../languages/script';
import { isForeignMagic } from '../../python/magics';
import { namesOfCell } from '../../python/names';
import { pythonStatements } from '../../python/statements';
import { parsePython } from '../../python/syntax';
import { recent } from '../../text/recent';
import type { Statement } from '../../languages/statement';
import type { AssertionResult } from '../execution';
import type { CheckCell, RefineRequest } from '../request';

export type NumberedCheck = {
  /** From 1. */
  readonly number: number;
  readonly cellId: string;
  /** Position of its cell in the notebook, from 0. */
  readonly index: number;
  /** First and last line in its cell, from 1. */
  readonly line: number;
  readonly lastLine: number;
  readonly source: string;
  readonly skipped: boolean;
};

const DEFINITION = /^(?:@[^\n]*\n)*(?:async\s+)?(def|class)\s+(\w+)/;

type Place = Pick<Statement, 'line' | 'from' | 'to'>;

type Checks = Pick<RefineRequest, 'assertions' | 'language'>;

export function numberedChecks({
  assertions,
  language
}: Checks): readonly NumberedCheck[] {
  return assertions
    .flatMap(cell =>
      countedChecks(cell.source, language).map(place => ({ cell, place }))
    )
    .map(({ cell, place: { line, from, to } }, i) => {
      const source = cell.source.slice(from, to).trimEnd();
      return {
        number: i + 1,
        cellId: cell.cellId,
        index: cell.index,
        line,
        lastLine: line + source.split('\n').length - 1,
        source,
        skipped: cell.skipped?.includes(line) ?? false
      };
    });
}

/** The result of a numbered check among those of an attempt. */
export function resultOfCheck<
  Result extends Pick<AssertionResult, 'cellId' | 'line' | 'source' | 'role'>
>(
  { cellId, line, lastLine, source }: NumberedCheck,
  results: readonly Result[]
): Result | undefined {
  const here = results.filter(
    result =>
      result.role === 'assertion' &&
      result.cellId === cellId &&
      result.line >= line &&
      result.line <= lastLine
  );
  return here.find(result => result.source.trim() === source) ?? here[0];
}

/** The cell without the checks that the user has skipped, each line where it was. */
export function withoutSkipped(cell: CheckCell, language: string): CheckCell {
  const { skipped, ...rest } = cell;
  if (!skipped || skipped.length === 0) {
    return rest;
  }
  const places = countedChecks(cell.source, language).filter(({ line }) =>
    skipped.includes(line)
  );
  const source = [...places].reverse().reduce((text, { from, to }) => {
    const blank = text.slice(from, to).replace(/[^\n]+/g, '');
    return (
      text.slice(0, from) +
      (language === 'python' ? 'pass' : '') +
      blank +
      text.slice(to)
    );
  }, cell.source);
  return { ...rest, source, statements: cell.statements - places.length };
}

/** What counts in a check cell, as the kernel counts: where nothing else checks, what may by its name or by a `raise`. */
export function countedChecks(
  source: string,
  language: string
): readonly Place[] {
  const found = checkingStatements(source, language);
  if (found.length > 0 || language !== 'python' || isForeignMagic(source)) {
    return found;
  }
  const { root, text } = parsePython(source);
  const { binds } = namesOfCell(source);
  return pythonStatements(root, text, binds).filter(({ from, to }) =>
    MAY_CHECK.test(text.slice(from, to))
  );
}

/** As `check_calls.py` has it: a call as a statement, or a `raise` in a statement that defines nothing. */
const MAY_CHECK =
  /^(?:[\w.]*[._])?(?:check|test|verify|validate|grade)[\w.]*\(|^(?!@|(?:async\s+)?def\b|class\b)[^]*(?<=^|[\s:;])raise\b/;

/** Statements that check by themselves and run where they stand. */
export function checkingStatements(
  source: string,
  language: string
): readonly Place[] {
  if (isForeignMagic(source)) {
    return [];
  }
  if (language !== 'python') {
    return scriptStatements(source, language).filter(
      ({ kind }) => kind === 'check'
    );
  }
  return pythonChecks(source);
}

const pythonChecks = recent((source): readonly Place[] => {
  const { root, text } = parsePython(source);
  const statements = pythonStatements(root, text, namesOfCell(source).binds);
  const textOf = ({ from, to }: Place) => source.slice(from, to);
  const defined = new Map(
    statements.flatMap(statement => {
      const [, keyword, name] = DEFINITION.exec(textOf(statement)) ?? [];
      return keyword && name ? [[statement, { keyword, name }] as const] : [];
    })
  );
  const calls = (name: string, statement: Statement) =>
    !defined.has(statement) &&
    new RegExp(`(?<![\\w.])${name}\\(`).test(textOf(statement));
  const isCalled = (name: string) =>
    statements.some(statement => calls(name, statement));
  const helpers = [...defined].filter(
    ([statement, { keyword }]) =>
      keyword === 'def' &&
      /\bassert\b|\bassert_?\w+\(|\braise\s+AssertionError\b/.test(
        textOf(statement)
      )
  );
  return statements.filter(statement => {
    const { keyword, name } = defined.get(statement) ?? {};
    return keyword && name
      ? // One that is called checks where it is called.
        statement.kind === 'check' &&
          !isCalled(name) &&
          !(keyword === 'class' && isCalled('(?:unittest\\.)?main'))
      : statement.kind === 'check' ||
          helpers.some(([, helper]) => calls(helper.name, statement));
  });
});
