/** Telling code from prose where a model left out the fence. */
import { languageOf } from '../languages/list';
import { openStringAfter, type OpenString } from '../python/openString';

/** True when a line taken by itself is code and could hardly be a sentence. */
export function isCodeLine(line: string, language: string): boolean {
  return looksLikeCode(line, language) && !isSentence(line.trim());
}

function looksLikeCode(line: string, language: string): boolean {
  return languageOf(language).codeLines.some(pattern =>
    pattern.test(line.trim())
  );
}

/** `for x in xs:` reads like a sentence too; an indented line after it decides. */
function opensBlock(line: string, next: string, language: string): boolean {
  return (
    language === 'python' &&
    /:\s*$/.test(line) &&
    /^\s+\S/.test(next) &&
    looksLikeCode(line, language)
  );
}

/** Four or more words in a row without code's punctuation, closed like a sentence. */
function isSentence(text: string): boolean {
  return /^[A-Z`'"]?[\w'`,-]+(?: [\w'`,()-]+){3,}[.:!?]$/.test(text);
}

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
  const isCode = (line: string, index: number) =>
    isCodeLine(line, language) ||
    opensBlock(line, lines[index + 1] ?? '', language);
  const start = lines.findIndex(
    (line, index) => !/^\s/.test(line) && isCode(line, index)
  );
  if (start < 0) {
    return null;
  }
  let open: OpenString = null;
  let end = start;
  let code = 0;
  let prose = 0;
  let proseSinceEnd = 0;
  for (const [i, line] of lines.entries()) {
    if (i < start) {
      continue;
    }
    const inString: boolean = open !== null;
    if (language === 'python') {
      open = openStringAfter(line, open);
    }
    if (line.trim() === '') {
      continue;
    }
    const part =
      inString ||
      /^\s/.test(line) ||
      /^[)\]}#]/.test(line) ||
      isCode(line, i) ||
      /^(?:pass|break|continue|return|end)\s*(?:#.*)?$/.test(line);
    if (part) {
      code++;
      prose += proseSinceEnd;
      proseSinceEnd = 0;
      end = i;
    } else {
      proseSinceEnd++;
    }
  }
  return code >= 3 * prose ? { start, end: end + 1 } : null;
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
