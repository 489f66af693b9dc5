/** Other readings of code that is no Python as it stands; the first that is counts. */
import { syntaxErrorAt } from '../python/syntax';
import { bindsAll } from './choice';
import { unescapeHtml } from './envelope';
import { isCodeLine, isSession, withoutPrompts } from './looks';

/**
 * `code` as it was most likely meant: without a label, prompts or prose around it, and
 * without HTML entities, typographic quotes or no-break spaces. Unchanged if it has no
 * syntax error, or if no reading of it is free of them.
 *
 * @param needs - names that a reading must define.
 */
export function repairPython(code: string, needs: readonly string[]): string {
  if (code.trim() === '') {
    return code;
  }
  // Names alone, so no syntax error.
  code = withoutLabel(code);
  if (needs.length > 0) {
    code = code.replace(FILE_MAGIC, '');
  }
  if (syntaxErrorAt(code) === null) {
    return code;
  }
  for (const read of READINGS) {
    const other = read(code);
    const isBetter =
      other !== code &&
      other.trim() !== '' &&
      syntaxErrorAt(other) === null &&
      bindsAll(other, 'python', needs);
    if (isBetter) {
      return other;
    }
  }
  return code;
}

type Reading = (code: string) => string;

/** A cell that writes or runs code elsewhere defines no name. */
const FILE_MAGIC = /^\s*%%(?:writefile|file|python3?)\b[^\n]*\n/;

/** The language, and the buttons of a page that the block was copied from. */
const withoutLabel: Reading = code =>
  code
    .replace(/^\s*(?:python3?|py|ipython)[ \t]*\n/i, '')
    .replace(/^\s*Copy(?: code)?[ \t]*\n(?:Edit[ \t]*\n)?/, '');
const withoutControls: Reading = code =>
  code
    // eslint-disable-next-line no-control-regex
    .replace(/\u001b\[[0-9;]*m/g, '')
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '');
/** Up to a rule or a closing tag, behind which there is prose. */
const beforeRule: Reading = code =>
  code
    .replace(/^(?:-{3,}|\]\]>|<\/\w+>|\[\/\w+\])[ \t]*$[\s\S]*/m, '')
    .trimEnd();
const plainSpaces: Reading = code => code.replace(/[\u00a0\u2007\u202f]/g, ' ');
const plainQuotes: Reading = code =>
  plainSpaces(code).replace(/[“”„]/g, '"').replace(/[‘’]/g, "'");

const plainSigns: Reading = code =>
  plainQuotes(code).replace(/[−：，；（）]/g, sign => SIGNS[sign] ?? sign);
const SIGNS: Readonly<Record<string, string>> = {
  '−': '-',
  '：': ':',
  '，': ',',
  '；': ';',
  '（': '(',
  '）': ')'
};
/** A program on one line, whose line breaks are two characters each. */
const withLineBreaks: Reading = code =>
  code.trim().includes('\n')
    ? code
    : code.replace(/\\(?:n|t|"|')/g, found => ESCAPES[found] ?? found);
const ESCAPES: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\t': '\t',
  '\\"': '"',
  "\\'": "'"
};

const READINGS: readonly Reading[] = [
  code => (isSession(code) ? withoutPrompts(code) : code),
  unescapeHtml,
  plainSpaces,
  plainQuotes,
  plainSigns,
  withLineBreaks,
  withoutLineNumbers,
  withoutControls,
  beforeRule,
  withoutProse,
  code => withoutProse(unescapeHtml(plainQuotes(code)))
];

/** `1 | def f():`, where every line has the next number. */
function withoutLineNumbers(code: string): string {
  const lines = code.split('\n').map(line => {
    const [, digits, rest = ''] =
      /^\s*(\d+)(?:[ \t]*[|:.)│](?: |$)|[ \t]|$)(.*)$/.exec(line) ?? [];
    return { number: Number(digits), rest };
  });
  const [first] = lines;
  return lines.every(({ number }, i) => number === (first?.number ?? 0) + i)
    ? lines.map(({ rest }) => rest).join('\n')
    : code;
}

/** Lines at the margin that no program has, and all before the first or after the last of the code. */
function withoutProse(code: string): string {
  const lines = code.split('\n');
  const isProse = (line: string) =>
    /^\S/.test(line) &&
    !isCodeLine(line, 'python') &&
    !/^[)\]}#@%!"']/.test(line) &&
    /^(?:[*_`>-]|\d+[.)])?\s*[A-Za-z][\w'’`,()*_-]*(?:[ :.!]|$)/.test(line);
  const start = lines.findIndex(line => line.trim() !== '' && !isProse(line));
  const end = lines.findIndex((line, index) => index > start && isProse(line));
  return start < 0
    ? code
    : lines
        .slice(start, end < 0 ? undefined : end)
        .join('\n')
        .trimEnd();
}
