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
import { codeRegion } from './looks';
import { AnswerScanner, disputeIn, type ScanOptions } from './scanner';

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
  const read = scanner ? finish(scanner, options) : scanOrJson(text, options);
  const { keeps, frame, previous } = options;
  const written =
    (previous === undefined ? null : applyPatch(text, previous)) ??
    (options.language === 'python' ? withoutName(read.code) : read.code);
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
    closed: read.closed && code === read.code
  };
}

function scanOrJson(text: string, options: ParseOptions): ParsedAnswer {
  return (
    (/^\s*[{["]/.test(text) ? jsonAnswer(text, options) : null) ??
    scan(text, options)
  );
}

/** Read text that is known not to be one JSON object. */
export function scan(text: string, options: ScanOptions): ParsedAnswer {
  const scanner = new AnswerScanner(options);
  for (const line of text.replace(/\n$/, '').split('\n')) {
    scanner.feed(line.replace(/\r$/, ''));
  }
  return finish(scanner, options);
}

/** What the scanner's findings mean once the answer is whole. */
function finish(scanner: AnswerScanner, options: ScanOptions): ParsedAnswer {
  const open =
    options.disputes && scanner.fence ? disputeIn(scanner.fence) : null;
  const dispute = open ?? scanner.dispute;
  return {
    ...(dispute ? { dispute } : {}),
    ...finishCode(scanner, options)
  };
}

function finishCode(
  scanner: AnswerScanner,
  options: ScanOptions
): ParsedAnswer {
  const { fence } = scanner;
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
    answer(scanner.thoughts, '', false)
  );
}

/** Code without a fence. */
function bareAnswer(
  { fenced, prose, thinking }: AnswerScanner,
  language: string
): ParsedAnswer | null {
  const region = fenced ? null : codeRegion(prose, language);
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

function dedentAll(lines: readonly string[]): string {
  const margins = lines
    .filter(line => line.trim() !== '')
    .map(line => line.length - line.trimStart().length);
  const margin = Math.min(...margins);
  return lines.map(line => dedent(line, margin)).join('\n');
}

function jsonAnswer(text: string, options: ScanOptions): ParsedAnswer | null {
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

/** Without the language's name on a line of its own above it. */
function withoutName(code: string): string {
  return code.replace(/^\s*(?:python3?|py|ipython)[ \t]*\n/i, '');
}
