/** What a cell's source does, as far as that is known without running it. */
import { checkingStatements } from '../../core/domain/checks/numberedChecks';
import { isForeignMagic } from '../../core/python/magics';
import { pythonNames } from '../../core/python/names';
import { parsePython } from '../../core/python/syntax';
import { pythonStatements } from '../../core/python/statements';
import { scriptStatements } from '../../core/languages/script';
import type { Statement } from '../../core/languages/statement';

export type SourceAnalysis = {
  readonly statements: readonly Statement[];
  /** Number of statements that check something where they stand. */
  readonly checks: number;
  /** Names read that are not bound in an inner scope of the cell. */
  readonly reads: ReadonlySet<string>;
  /** Names the cell binds at its top level, imports included. */
  readonly binds: ReadonlySet<string>;
  /** Those of `binds` that an import binds. */
  readonly imports: ReadonlySet<string>;
};

const NOTHING: SourceAnalysis = {
  statements: [],
  checks: 0,
  reads: new Set(),
  binds: new Set(),
  imports: new Set()
};

/** Analyses are asked for again at every change of the notebook; the source decides. */
const remembered = new Map<string, SourceAnalysis>();
/** Of all remembered sources together: a notebook that is larger is analysed again and again. */
const REMEMBERED_CHARACTERS = 1 << 24;
let rememberedCharacters = 0;

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
  remembered.set(key, analysis);
  rememberedCharacters += key.length;
  for (const [oldest] of remembered) {
    if (rememberedCharacters <= REMEMBERED_CHARACTERS) {
      break;
    }
    remembered.delete(oldest);
    rememberedCharacters -= oldest.length;
  }
  return analysis;
}

function analyseAnew(source: string, language: string): SourceAnalysis {
  if (isForeignMagic(source)) {
    return NOTHING;
  }
  const checks = checkingStatements(source, language).length;
  if (language !== 'python') {
    const statements = scriptStatements(source, language);
    return { ...NOTHING, statements, checks };
  }
  const { root, text } = parsePython(source);
  const names = pythonNames(root, text);
  const statements = pythonStatements(root, text, names.binds);
  return { ...names, statements, checks };
}

/** True for a source whose last statement checks and whose other ones check or set up; "all passed" may follow. */
export function looksLikeCheck(source: string, language: string): boolean {
  const { statements } = analyse(source, language);
  const telling = statements.filter(
    ({ from, to }) => !REMARK.test(source.slice(from, to))
  );
  return (
    telling.at(-1)?.kind === 'check' &&
    statements.every(statement => statement.kind !== 'other')
  );
}

/** Prints a fixed text, or shows a plot. */
const REMARK =
  /^(?:print\(\s*(?:"[^"\n]*"|'[^'\n]*')?\s*\)|(?:\w+\.)?show\(\s*\))\s*;?$/;
