/** What a cell's source does, as far as that is known without running it. */
import { isForeignMagic } from '../../core/python/magics';
import { pythonNames } from '../../core/python/names';
import { parsePython } from '../../core/python/syntax';
import { pythonStatements } from '../../core/python/statements';
import { scriptStatements } from '../../core/languages/script';
import type { Statement } from '../../core/languages/statement';

export type SourceAnalysis = {
  readonly statements: readonly Statement[];
  /** Names read that are not bound in an inner scope of the cell. */
  readonly reads: ReadonlySet<string>;
  /** Names the cell binds at its top level, imports included. */
  readonly binds: ReadonlySet<string>;
  /** Those of `binds` that an import binds. */
  readonly imports: ReadonlySet<string>;
};

const NOTHING: SourceAnalysis = {
  statements: [],
  reads: new Set(),
  binds: new Set(),
  imports: new Set()
};

/** Analyses are asked for again at every change of the notebook; the source decides. */
const remembered = new Map<string, SourceAnalysis>();
const REMEMBERED_SOURCES = 500;

/**
 * Statements and names of a source. Python is parsed; R, Julia and other
 * languages are read by lines, without names.
 */
export function analyse(source: string, language: string): SourceAnalysis {
  const key = `${language}\n${source}`;
  const known = remembered.get(key);
  if (known) {
    return known;
  }
  const analysis = analyseAnew(source, language);
  if (remembered.size >= REMEMBERED_SOURCES) {
    remembered.clear();
  }
  remembered.set(key, analysis);
  return analysis;
}

function analyseAnew(source: string, language: string): SourceAnalysis {
  if (isForeignMagic(source)) {
    return NOTHING;
  }
  if (language !== 'python') {
    return { ...NOTHING, statements: scriptStatements(source, language) };
  }
  const { root, text } = parsePython(source);
  const names = pythonNames(root, text);
  return { ...names, statements: pythonStatements(root, text, names.binds) };
}

/** Number of top-level statements that check something. */
export function countChecks(source: string, language: string): number {
  return analyse(source, language).statements.filter(s => s.kind === 'check')
    .length;
}

/** True for a source whose last statement checks and whose other ones check or set up. */
export function looksLikeCheck(source: string, language: string): boolean {
  const { statements } = analyse(source, language);
  return (
    statements.at(-1)?.kind === 'check' &&
    statements.every(statement => statement.kind !== 'other')
  );
}
