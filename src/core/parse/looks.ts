/** Telling code from prose where a model left out the fence. */
import { languageOf } from '../languages/list';
import { openStringAfter, type OpenString } from '../python/openString';

/** True when a line taken by itself is code and could hardly be a sentence. */
export function isCodeLine(line: string, language: string): boolean {
  const text = line.trim();
  const { codeLines } = languageOf(language);
  return codeLines.some(form => form.test(text)) && !SENTENCE.test(text);
}

/** Four or more words in a row without code's punctuation, closed like a sentence. */
const SENTENCE = /^[A-Z`'"]?[\w'`,-]+(?: [\w'`,()-]+){3,}[.!?]$/;

export type Region = { readonly start: number; readonly end: number };

/**
 * The lines of unfenced text that are code: from the first line that is surely
 * code to the last one that may be. Null when there is none, or when too much
 * between them reads like prose.
 */
export function codeRegion(
  lines: readonly string[],
  language: string
): Region | null {
  const start = lines.findIndex(
    line => !/^\s/.test(line) && isCodeLine(line, language)
  );
  if (start < 0) {
    return null;
  }
  let open: OpenString = null;
  // Null for a blank line outside of strings.
  const isPart = lines.slice(start).map(line => {
    const inString = open !== null;
    open = language === 'python' ? openStringAfter(line, open) : null;
    return line.trim() === ''
      ? null
      : inString ||
          /^[\s)\]}#]/.test(line) ||
          isCodeLine(line, language) ||
          /^(?:pass|break|continue|return|end)\s*(?:#.*)?$/.test(line);
  });
  const region = isPart.slice(0, isPart.lastIndexOf(true) + 1);
  const count = (kind: boolean) => region.filter(one => one === kind).length;
  return count(true) >= 3 * count(false)
    ? { start, end: start + region.length }
    : null;
}

/** True when a fenced block without a label holds code of the language, and no shell, console or printed output. */
export function isCodeBlock(code: string, language: string): boolean {
  const lines = code.split('\n').filter(line => line.trim() !== '');
  const first = lines[0]?.trim() ?? '';
  if (first === '' || isSession(code) || isShell(first)) {
    return false;
  }
  return lines.some(
    line => isCodeLine(line, language) || /^\s*(?:#|%)/.test(line)
  );
}

/** An interpreter session: `>>> f(1)`, `In [1]: …`. */
export function isSession(code: string): boolean {
  return /^\s*(?:>>> |In \[\d+\]:)/.test(code);
}

function isShell(line: string): boolean {
  return /^(?:\$ |# ?(?:apt|pip|conda)\b|(?:sudo|pip3?|conda|mamba|npm|apt|apt-get|brew|cd|ls|mkdir|git|curl|wget|uv|python3?) +[\w./-])/.test(
    line
  );
}
