/** What can be known of a kernel's language; the records are in `list.ts`. */

/** `check` can fail because a result is wrong; `set-up` prepares; `other` does work or shows something. */
export type StatementKind = 'check' | 'set-up' | 'other';

export type Statement = {
  readonly kind: StatementKind;
  /** From 1. */
  readonly line: number;
  /** Offsets of its text in the source. */
  readonly from: number;
  readonly to: number;
};

/** How statements are split by lines; Python's are read from its syntax tree. */
export type StatementPatterns = {
  readonly comment: RegExp;
  readonly checks: RegExp;
  readonly setsUp: RegExp;
  /** Keywords that open and close a block beside brackets. */
  readonly opens?: RegExp;
  readonly closes?: RegExp;
  /** The end of a line whose statement goes on in the next. */
  readonly goesOn?: RegExp;
};

export type Language = {
  /** Its name in prompts; null: as the kernel calls it. */
  readonly name: string | null;
  /** Info strings of fences that hold it; null: the kernel's name for it. */
  readonly fences: readonly string[] | null;
  /** Facts of its kernels that models get wrong, for the prompt. */
  readonly kernelFacts: readonly string[];
  /** Starts a comment to the end of the line. */
  readonly comment: '#' | '//';
  /** Lines that are code wherever they stand, trimmed. */
  readonly codeLines: readonly RegExp[];
  readonly statements: StatementPatterns;
  /** A check that must fail: a kernel that lets it pass can pass anything. Null: none is known. */
  readonly canary: string | null;
  /** What a check is written with, for a cell that checks nothing; null: not known. */
  readonly checkWord: string | null;
  /** Forms that look like a check and never fail in its kernels: found in one statement, trimmed; called so in a sentence; code to write in its place. */
  readonly neverFails: readonly {
    readonly pattern: RegExp;
    readonly what: string;
    readonly instead: string;
  }[];
  /** True where any command can fail, as in a shell: a tagged check needs no known form. */
  readonly commandsFail: boolean;
  /** The code that runs a check cell. Its kernels may report less than every failure: of the last statement alone. */
  readonly asCheck: (
    source: string,
    statements: readonly Statement[]
  ) => string;
  /** True for the error of a check that did not hold, false for one that could not be made. */
  readonly isFailedCheck: (name: string, message: string) => boolean;
  /**
   * A statement that binds a text to `response`. Nothing in the text is interpolated.
   *
   * @param literal - the text in double quotes, escaped as in JSON.
   */
  readonly bindResponse: (literal: string) => string;
};

/** What differs from {@link GENERAL}, and how kernels call the language, in lower case. */
export type LanguageRecord = Partial<Language> & {
  readonly ids: readonly string[];
};

/** A language that nothing is known of. */
export const GENERAL: Language = {
  name: null,
  fences: null,
  kernelFacts: [],
  comment: '#',
  codeLines: [
    /^[A-Za-z_.][\w.$]*(?:\[[^\]]*\])*\s*(?:<-|<<-|=(?!=)|:=)\s*\S/,
    /^(?:function|library|require|using|import|include|const|let|var|fn|struct|begin|for|while|if|return)\b.*[({;:]?\s*\S*$/,
    /^[A-Za-z_][\w.:]*\(.*$/,
    /^[})\]]/
  ],
  statements: {
    comment: /(#|\/\/).*$/,
    checks: /^(console\.)?(assert\w*|expect|should)\b/i,
    setsUp:
      /^(import|using|let|const|var|val|def|fun|function|require|open|#include|use)\b|^[\w.]+\s*:?=(?!=)/
  },
  canary: null,
  checkWord: null,
  neverFails: [],
  commandsFail: false,
  asCheck: source => source,
  isFailedCheck: name =>
    /^(AssertionError|AssertionFailedError|TestSetException|_TestFailed)$/.test(
      name
    ),
  // Where such an escape is unknown the text is another, and still no code.
  bindResponse: literal =>
    `response = ${literal.replace(/[$#@`{}[\]()]/g, escaped)}`
};

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
