/** What a scanned answer means once it is whole. */
import {
  joinThoughts,
  withoutMark,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import { unwrap } from './envelope';
import { dedent } from './fences';
import { parseJsonAnswer } from '../text/json';
import { codeRegion, isCodeBlock, isSession, withoutPrompts } from './looks';
import { applyPatch } from './patch';
import { repairPython } from './repair';
import {
  AnswerScanner,
  disputeIn,
  type ProseLine,
  type ScanOptions
} from './scanner';

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
  const { thinking, text: inner } = unwrap(text);
  const read =
    scanner && inner === text
      ? finish(scanner, text, options)
      : scanOrJson(inner, options);
  const patched =
    options.previous === undefined ? null : applyPatch(inner, options.previous);
  const code =
    patched ??
    (options.language === 'python'
      ? repairPython(read.code, options.needs ?? [])
      : read.code);
  return {
    ...read,
    thoughts: joinThoughts(thinking, read.thoughts),
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
  const prose = scanner.prose.map(line => line.text);
  const brace = prose.findIndex(line => /^\s*(?:<tool_call>|\{)/.test(line));
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
    sessionAnswer(scanner) ??
    answer(scanner.thoughts, '', false)
  );
}

/** A transcript of an interpreter, fenced or not. */
function sessionAnswer(scanner: AnswerScanner): ParsedAnswer | null {
  const text =
    scanner.sessions.at(-1) ??
    scanner.prose
      .map(line => line.text)
      .join('\n')
      .replace(/^[^>I]*?(?=>>> |In \[)/, '');
  return isSession(text)
    ? answer(scanner.thoughts, withoutPrompts(text), false)
    : null;
}

/** Code without a fence: in the Response section if there is one, else anywhere. */
function bareAnswer(
  scanner: AnswerScanner,
  language: string
): ParsedAnswer | null {
  if (scanner.fenced) {
    return null;
  }
  const response = scanner.prose.filter(line => line.section === 'response');
  const lines: readonly ProseLine[] =
    response.length > 0
      ? response
      : scanner.prose.filter(line => line.section === 'none');
  const texts = lines.map(line => line.text);
  const region = codeRegion(texts, language) ?? indented(texts, language);
  if (!region) {
    return null;
  }
  const code = new Set(lines.slice(region.start, region.end));
  const rest = scanner.prose.filter(line => !code.has(line));
  return answer(
    joinThoughts(
      scanner.thinking,
      rest
        .map(line => line.text)
        .join('\n')
        .replace(/\n{3,}/g, '\n\n')
    ),
    dedentAll(texts.slice(region.start, region.end)),
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
