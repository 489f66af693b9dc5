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
  /** The last statement checks, and the cell is not work that ends with a check; a print such as "all passed" may follow. */
  readonly looksLikeCheck: boolean;
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
  looksLikeCheck: false,
  reads: new Set(),
  binds: new Set(),
  imports: new Set()
};

/** Analyses by language and source: they are requested again at every change of the notebook. */
const remembered = new Map<string, Map<string, SourceAnalysis>>();
/** Of all remembered sources together: a notebook that is larger is analysed again and again. */
const REMEMBERED_CHARACTERS = 1 << 24;
let rememberedCharacters = 0;

/**
 * Statements and names of a source. Python is parsed; R, Julia and other
 * languages are read by lines, without names.
 */
export function analyse(source: string, language: string): SourceAnalysis {
  const own = remembered.get(language) ?? new Map<string, SourceAnalysis>();
  const known = own.get(source);
  if (known) {
    return known;
  }
  const analysis = analyseAnew(source, language);
  remembered.set(language, own);
  own.set(source, analysis);
  rememberedCharacters += source.length;
  forgetOldest();
  return analysis;
}

function forgetOldest(): void {
  for (const sources of remembered.values()) {
    for (const oldest of sources.keys()) {
      if (rememberedCharacters <= REMEMBERED_CHARACTERS) {
        return;
      }
      sources.delete(oldest);
      rememberedCharacters -= oldest.length;
    }
  }
}

function analyseAnew(source: string, language: string): SourceAnalysis {
  if (isForeignMagic(source)) {
    return NOTHING;
  }
  const checks = checkingStatements(source, language).length;
  if (language !== 'python') {
    const statements = scriptStatements(source, language);
    return {
      ...NOTHING,
      statements,
      checks,
      looksLikeCheck:
        endsWithCheck(source, statements) &&
        statements.every(({ kind }) => kind !== 'other')
    };
  }
  const { root, text } = parsePython(source);
  const names = pythonNames(root, text);
  const statements = pythonStatements(root, text, names.binds);
  return {
    ...names,
    statements,
    checks,
    looksLikeCheck:
      endsWithCheck(source, statements) && !isWork(source, statements)
  };
}

function endsWithCheck(
  source: string,
  statements: readonly Statement[]
): boolean {
  const telling = statements.filter(
    ({ from, to }) => !REMARK.test(source.slice(from, to))
  );
  return telling.at(-1)?.kind === 'check';
}

/** True for a cell that defines something and uses it; other calls in a check (`f.cache_clear()`) do not make it work. */
function isWork(source: string, statements: readonly Statement[]): boolean {
  return (
    statements.some(({ kind }) => kind === 'other') &&
    statements.some(({ kind, from, to }) => {
      const text = source.slice(from, to);
      return kind === 'set-up' && DEFINITION.test(text) && !HELPING.test(text);
    })
  );
}

const DEFINITION = /^(?:@[^\n]*\n)*(?:async\s+)?(?:def|class)\b/;
/** In a helper function that checks. */
const HELPING = /\bassert|\bAssertionError\b/;

/** Prints a text, perhaps with values in it, or shows a plot. */
const REMARK =
  /^(?:print\(\s*(?:[frFR]{0,2}["'][^]*)?\)|(?:\w+\.)?show\(\s*\))\s*;?$/;
