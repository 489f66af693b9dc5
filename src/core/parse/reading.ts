/** What a scanned answer means once it is whole. */
import {
  joinThoughts,
  withoutMark,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import { dedented } from '../part/replacement';
import { dedent } from './fences';
import { completed } from './leftOut';
import { parseJsonAnswer } from '../text/json';
import { codeRegion, isCodeBlock, isCodeLine } from './looks';
import { AnswerScanner, disputeIn, type ScanOptions } from './scanner';
import { syntaxErrorAt } from '../python/syntax';
import { bindsAll } from './choice';

/**
 * The whole answer.
 *
 * @param scanner - has read all of `text`; null if that begins like JSON.
 */
export function readAnswer(
  text: string,
  options: ParseOptions,
  scanner: AnswerScanner | null
): ParsedAnswer {
  const read = scanner
    ? finish(scanner, text, options)
    : scanOrJson(text, options);
  const { keeps, frame, previous } = options;
  const written =
    (previous === undefined ? null : applyPatch(text, previous)) ??
    (options.language === 'python' ? repaired(read.code, options) : read.code);
  const programs = frame
    ? [dedented(frame.text)]
    : [previous ?? '', keeps?.cell ?? ''];
  const { code, kept, gap } = keeps
    ? completed(written, read.thoughts, programs, keeps)
    : { code: written, kept: [], gap: null };
  return {
    ...read,
    ...(kept.length > 0 ? { kept } : {}),
    ...(gap === null ? {} : { gap }),
    code: cleanCode(code),
    // What was changed had not been shown as it is.
    closed: read.closed && code === read.code,
    ...(code.trim() === '' && !read.dispute
      ? codeOfThinking(text, options)
      : {})
  };
}

/** Part of a cell is a program only without the blanks that all of its lines start with. */
function repaired(code: string, { needs = [], frame }: ParseOptions): string {
  const program = frame ? dedented(code) : code;
  const other = repairPython(program, needs);
  return other === program ? code : other;
}

/** Of thinking that never ended: its code, if it ends with a block. */
function codeOfThinking(
  text: string,
  options: ParseOptions
): Partial<ParsedAnswer> {
  const open = /^\s*<(?:think|thinking|reasoning)>([\s\S]*)$/i.exec(text)?.[1];
  const read =
    open !== undefined && endsWithBlock(open)
      ? scan(open, { ...options, disputes: false })
      : null;
  return read?.closed ? { ...read, closed: false } : {};
}

/** A draft is followed by more thinking. */
export function endsWithBlock(text: string): boolean {
  return /\n {0,3}(?:`{3,}|~{3,})\s*$/.test(text);
}

function scanOrJson(text: string, options: ParseOptions): ParsedAnswer {
  return (
    (/^\s*[{["]/.test(text) ? jsonAnswer(text, options) : null) ??
    scan(text, options)
  );
}

/** Read text that is known not to be one JSON object. */
export function scan(
  text: string,
  options: ScanOptions,
  plainFences = false
): ParsedAnswer {
  const scanner = new AnswerScanner({ ...options, plainFences });
  for (const line of text.replace(/\n$/, '').split('\n')) {
    scanner.feed(line.replace(/\r$/, ''));
  }
  return finish(scanner, text, options);
}

/** What the scanner's findings mean once the answer is whole. */
export function finish(
  scanner: AnswerScanner,
  text: string,
  options: ScanOptions
): ParsedAnswer {
  const open =
    options.disputes && scanner.fence ? disputeIn(scanner.fence) : null;
  const dispute = open ?? scanner.dispute;
  return {
    ...(dispute ? { dispute } : {}),
    ...finishCode(scanner, text, options)
  };
}

function finishCode(
  scanner: AnswerScanner,
  text: string,
  options: ScanOptions
): ParsedAnswer {
  const { fence } = scanner;
  if (fence?.doubtful) {
    return scan(text, options, true);
  }
  if (fence && scanner.holdsCode(fence)) {
    const open = {
      text: fence.text.replace(/`{3,}\s*$/, ''),
      announced: fence.aside
    };
    const chosen = scanner.choose(open);
    if (chosen !== null && chosen !== scanner.candidate) {
      return answer(scanner.thoughts, chosen, false);
    }
  }
  if (scanner.candidate !== null) {
    return answer(scanner.thoughts, scanner.candidate, true);
  }
  const jsonTexts = [...scanner.jsonBlocks].reverse();
  const { prose } = scanner;
  const brace = prose.findIndex(line => line.trimStart().startsWith('{'));
  if (brace >= 0) {
    jsonTexts.push(prose.slice(brace).join('\n'));
  }
  for (const jsonText of jsonTexts) {
    const found = jsonAnswer(jsonText, options);
    if (found) {
      return {
        ...found,
        thoughts: joinThoughts(scanner.thinking, found.thoughts)
      };
    }
  }
  const example = scanner.choose();
  return (
    bareAnswer(scanner, options.language) ??
    (example !== null ? answer(scanner.thoughts, example, true) : null) ??
    nestedAnswer(scanner, options) ??
    answer(scanner.thoughts, '', false)
  );
}

/** Code without a fence. */
function bareAnswer(
  { fenced, prose, thinking }: AnswerScanner,
  language: string
): ParsedAnswer | null {
  const region = fenced
    ? null
    : (codeRegion(prose, language) ?? indented(prose, language));
  if (!region) {
    return null;
  }
  const { start, end } = region;
  const rest = [...prose.slice(0, start), ...prose.slice(end)];
  return answer(
    joinThoughts(thinking, rest.join('\n').replace(/\n{3,}/g, '\n\n')),
    dedentAll(prose.slice(start, end)),
    false
  );
}

/** Markdown's other code block: indented, after a line that ends with a colon. */
function indented(
  lines: readonly string[],
  language: string
): { readonly start: number; readonly end: number } | null {
  const isIn = (line: string) =>
    line.trim() === '' || /^(?: {2,}|\t)/.test(line);
  const lead = lines.findIndex(
    (line, index) =>
      /^\S.*:\s*$/.test(line) &&
      isIn(lines[index + 1] ?? 'x') &&
      lines.slice(index + 1).some(next => next.trim() !== '')
  );
  if (lead < 0) {
    return null;
  }
  const after = lines.findIndex((line, index) => index > lead && !isIn(line));
  const end = after < 0 ? lines.length : after;
  return isCodeBlock(dedentAll(lines.slice(lead + 1, end)), language)
    ? { start: lead + 1, end }
    : null;
}

function dedentAll(lines: readonly string[]): string {
  const margins = lines
    .filter(line => line.trim() !== '')
    .map(line => line.length - line.trimStart().length);
  const margin = Math.min(...margins);
  return lines.map(line => dedent(line, margin)).join('\n');
}

/** The whole answer was wrapped into a markdown fence. */
function nestedAnswer(
  scanner: AnswerScanner,
  options: ScanOptions
): ParsedAnswer | null {
  for (const block of [...scanner.proseBlocks].reverse()) {
    const inner = scan(block, options);
    if (inner.code !== '') {
      return inner;
    }
  }
  return null;
}

export function jsonAnswer(
  text: string,
  options: ScanOptions
): ParsedAnswer | null {
  const found = parseJsonAnswer(text);
  if (!found) {
    return null;
  }
  const inner = /^\s*(?:`{3,}|~{3,})/m.test(found.code)
    ? scan(found.code, options).code
    : '';
  return answer(found.thoughts, inner === '' ? found.code : inner, false);
}

function answer(thoughts: string, code: string, closed: boolean): ParsedAnswer {
  return { thoughts: thoughts.trim(), code: cleanCode(code), closed };
}

/** Code as it goes into a cell: no `%%refine` line, no byte order mark, no blank lines around it. */
export function cleanCode(code: string): string {
  return withoutMark(code)
    .replace(/^%%refine\b.*(?:\n|$)/gm, '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

const HUNK = /^@@[^\n]*\n((?:[ +\-\\][^\n]*(?:\n|$)|(?=\n)\n)+)/gm;

/**
 * `previous` with the changes of an answer; null if the answer holds none, or one of them
 * does not fit. Line numbers of a diff are not believed: a hunk goes where its lines are.
 */
function applyPatch(answer: string, previous: string): string | null {
  const changes = [...answer.matchAll(HUNK)].map(([, body = '']) => {
    const lines = body.replace(/\n$/, '').split('\n');
    const side = (mark: string) =>
      lines
        .filter(line => line === '' || line[0] === ' ' || line[0] === mark)
        .map(line => `${line.slice(1)}\n`)
        .join('');
    return { from: side('-'), to: side('+') };
  });
  let text = previous.endsWith('\n') ? previous : `${previous}\n`;
  for (const { from, to } of changes) {
    const at = from.trim() === '' ? text.length : text.indexOf(from);
    if (at < 0 || (from.trim() !== '' && text.indexOf(from, at + 1) >= 0)) {
      return null;
    }
    const rest = text.slice(at + (from.trim() === '' ? 0 : from.length));
    text = text.slice(0, at) + to + rest;
  }
  return changes.length === 0 ? null : text.trimEnd();
}

/** A cell that writes or runs code elsewhere defines no name. */
const FILE_MAGIC = /^\s*%%(?:writefile|file|python3?)\b[^\n]*\n/;

/**
 * `code` without the language's name above it, and without prose around it where that
 * makes a syntax error go away; else unchanged.
 *
 * @param needs - names that a reading must define.
 */
function repairPython(code: string, needs: readonly string[]): string {
  // A name alone is no syntax error.
  let plain = code.replace(/^\s*(?:python3?|py|ipython)[ \t]*\n/i, '');
  if (needs.length > 0) {
    plain = plain.replace(FILE_MAGIC, '');
  }
  if (plain.trim() === '' || syntaxErrorAt(plain) === null) {
    return plain;
  }
  const other = withoutProse(plain);
  return other.trim() !== '' &&
    syntaxErrorAt(other) === null &&
    bindsAll(other, 'python', needs)
    ? other
    : plain;
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
