/** What a scanned answer means once it is whole. */
import {
  joinThoughts,
  withoutMark,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import { dedented } from '../part/replacement';
import { bindsAll, definedNames, type CodeBlock } from './choice';
import { dedent } from './fences';
import { completed } from './leftOut';
import { parseJsonAnswer } from '../text/json';
import { codeRegion, isCodeBlock } from './looks';
import { applyPatch } from './patch';
import { syntaxErrorAt } from '../python/syntax';
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
  const read = scanner
    ? finish(scanner, text, options)
    : scanOrJson(text, options);
  const patched = patchedProgram(text, options);
  const written =
    patched ??
    (options.language === 'python' ? repaired(read.code, options) : read.code);
  const { keeps, frame, previous = '' } = options;
  const programs = frame
    ? [dedented(frame.text)]
    : [previous, keeps?.cell ?? ''];
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

/** The first of the earlier programs that the changes of an answer fit, with them; null without changes. */
function patchedProgram(
  text: string,
  { previous, older = [] }: ParseOptions
): string | null {
  const programs = previous === undefined ? [] : [previous, ...older];
  for (const program of programs) {
    const changed = applyPatch(text, program);
    if (changed !== null) {
      return changed;
    }
  }
  return null;
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
      const sound = soundBlock(chosen, [...scanner.blocks, open], options);
      return answer(scanner.thoughts, sound ?? chosen, false);
    }
  }
  if (scanner.candidate !== null) {
    const sound = soundBlock(scanner.candidate, scanner.blocks, options);
    return answer(scanner.thoughts, sound ?? scanner.candidate, sound === null);
  }
  const jsonTexts = [...scanner.jsonBlocks].reverse();
  const prose = scanner.prose.map(line => line.text);
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

/**
 * Where `chosen` has a syntax error that no other reading of it is free of: the last
 * block without one that defines the same names. Null: `chosen` it is.
 */
function soundBlock(
  chosen: string,
  blocks: readonly CodeBlock[],
  { language, needs = [], previous = '', older = [] }: ScanOptions
): string | null {
  const isSound = (code: string) =>
    syntaxErrorAt(repairPython(code, needs)) === null;
  if (language !== 'python' || isSound(chosen)) {
    return null;
  }
  const names = needs.length > 0 ? needs : definedNames(chosen);
  // What was quoted from an earlier attempt is known to fail.
  const known = [previous, ...older].map(code => code.trim());
  const other = [...blocks]
    .reverse()
    .find(
      ({ text, announced }) =>
        !announced &&
        names.length > 0 &&
        bindsAll(text, language, names) &&
        !known.includes(text.trim()) &&
        isSound(text)
    );
  return other?.text ?? null;
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
