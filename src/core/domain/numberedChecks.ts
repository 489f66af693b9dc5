/**
 * The visible checks by number: how a model names one, and how one is left out.
 *
 * Numbers count the checking statements of all assertion cells from 1, in the
 * order in which they run. A skipped one keeps its number: earlier attempts speak of it.
 */
import { languageOf } from '../languages/list';
import { scriptStatements } from '../languages/script';
import { isForeignMagic } from '../python/magics';
import { pythonNames } from '../python/names';
import { pythonStatements } from '../python/statements';
import { parsePython } from '../python/syntax';
import type { Statement } from '../languages/statement';
import type { AssertionResult } from './execution';
import type { CheckCell, RefineRequest } from './request';

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
      checkingStatements(cell.source, language).map(place => ({ cell, place }))
    )
    .map(({ cell, place: { line, from, to } }, i) => {
      const source = cell.source.slice(from, to);
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

/** The source of a check cell as prompts show it: each check with its number, without those that are skipped. */
export function sourceWithNumbers(
  cell: CheckCell,
  checks: readonly NumberedCheck[],
  language: string
): string {
  const { comment } = languageOf(language);
  const lines = withoutSkipped(cell, language).source.split('\n');
  const own = checks.filter(check => check.cellId === cell.cellId);
  return lines
    .flatMap((line, i) => {
      const here = own.filter(check => check.line === i + 1 && !check.skipped);
      const numbers = here.map(({ number }) => number).join(', ');
      return here.length === 0
        ? own.some(c => c.skipped && c.line <= i + 1 && i + 1 <= c.lastLine) &&
          /^\s*(?:pass)?\s*$/.test(line)
          ? []
          : [line]
        : here.some(check => check.lastLine > check.line)
          ? // A line that goes on may end within a string.
            [`${comment} check ${numbers}`, line]
          : [`${line}  ${comment} check ${numbers}`];
    })
    .join('\n');
}

/** The cell without the checks that the user has skipped, each line where it was. */
export function withoutSkipped(cell: CheckCell, language: string): CheckCell {
  const { skipped, ...rest } = cell;
  if (!skipped || skipped.length === 0) {
    return rest;
  }
  const places = checkingStatements(cell.source, language).filter(({ line }) =>
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

/** Checking statements that run where they stand. */
function checkingStatements(
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
  const { root, text } = parsePython(source);
  const statements = pythonStatements(
    root,
    text,
    pythonNames(root, text).binds
  );
  const helpers = definitions(statements, source).filter(({ body }) =>
    /\bassert\b|\bassert_?\w+\(/.test(body)
  );
  const calls = (name: string, { from, to }: Place) =>
    new RegExp(`(?<![\\w.])${name}\\(`).test(source.slice(from, to));
  return statements.filter(statement => {
    const definition = helpers.find(({ from }) => from === statement.from);
    const others = statements.filter(other => other !== statement);
    return definition
      ? // One that is called checks where it is called.
        statement.kind === 'check' &&
          !others.some(other => calls(definition.name, other))
      : statement.kind === 'check' ||
          helpers.some(({ name }) => calls(name, statement));
  });
}

/** The functions that a cell defines. */
function definitions(statements: readonly Statement[], source: string) {
  return statements.flatMap(({ from, to }) => {
    const body = source.slice(from, to);
    const name = /^(?:async\s+)?def\s+(\w+)/.exec(body)?.[1];
    return name === undefined ? [] : [{ name, from, body }];
  });
}
