/**
 * The visible checks by number: how a model names one, and how one is left out.
 *
 * Numbers count the checking statements of all assertion cells from 1, in the
 * order in which they run. A skipped one keeps its number: earlier attempts speak of it.
 */
import { scriptStatements } from '../../languages/script';
import { isForeignMagic } from '../../python/syntax';
import { pythonChecks } from '../../python/checks';
import type { Statement } from '../../languages/language';
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

/** What counts in a check cell before it has run: its checking statements, else the cell as a whole. */
export function countedChecks(
  source: string,
  language: string
): readonly Place[] {
  const found = checkingStatements(source, language);
  const from = source.search(/\S/);
  const line = source.slice(0, from).split('\n').length;
  const whole = { line, from, to: source.trimEnd().length };
  return found.length > 0 || from < 0 ? found : [whole];
}

/** Statements that a person would call tests. */
export function checkingStatements(
  source: string,
  language: string
): readonly Place[] {
  return language === 'python'
    ? pythonChecks(source)
    : isForeignMagic(source)
      ? []
      : scriptStatements(source, language).filter(
          ({ kind }) => kind === 'check'
        );
}
