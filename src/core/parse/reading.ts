/** What a whole answer means: the code or the text for its cell, and the rest. */
import {
  joinThoughts,
  withoutMark,
  type ParsedAnswer,
  type ParseOptions
} from './answer';
import {
  chooseBlocks,
  splitAnswer,
  type SplitAnswer,
  type SplitOptions
} from './blocks';
import { dedented } from '../part/replacement';
import { withExamples } from './examples';
import { completed } from './leftOut';
import { parseJsonAnswer } from '../text/json';
import { codeRegion } from './looks';

/** The whole answer for a code cell. */
export function readAnswer(text: string, options: ParseOptions): ParsedAnswer {
  const read =
    (/^\s*[{["]/.test(text) ? jsonAnswer(text, options) : null) ??
    readText(text, options);
  const { keeps, frame, previous } = options;
  const written =
    (previous === undefined ? null : applyPatch(text, previous)) ??
    (options.language === 'python' ? withoutName(read.code) : read.code);
  const programs = frame
    ? [dedented(frame.text)]
    : [previous ?? '', keeps?.cell ?? ''];
  const {
    code: whole,
    gap,
    ...own
  } = keeps
    ? completed(written, programs, keeps.names)
    : { code: written, kept: [], gap: null };
  const cell = !frame && keeps?.examples ? keeps.cell : '';
  const { code, kept: put } = withExamples(whole, cell);
  const kept = [...own.kept, ...put];
  return {
    ...read,
    ...(kept.length > 0 ? { kept } : {}),
    ...(gap === null ? {} : { gap }),
    code: cleanCode(code),
    // What was changed had not been shown as it is.
    closed: read.closed && code === read.code
  };
}

function readText(text: string, options: SplitOptions): ParsedAnswer {
  const split = splitAnswer(text, options);
  const { dispute } = split;
  return { ...(dispute ? { dispute } : {}), ...readCode(split, options) };
}

function readCode(split: SplitAnswer, options: SplitOptions): ParsedAnswer {
  const { blocks, candidate, open, thoughts, thinking, prose } = split;
  const { language, needs = [] } = options;
  const chosen = open && chooseBlocks([...blocks, open], language, needs);
  if (chosen !== null && chosen !== candidate) {
    return answer(thoughts, chosen, false);
  }
  if (candidate !== null) {
    return answer(thoughts, candidate, true);
  }
  const brace = prose.findIndex(line => line.trimStart().startsWith('{'));
  const rest = brace < 0 ? [] : [prose.slice(brace).join('\n')];
  for (const json of [...split.jsonTexts, ...rest]) {
    const found = jsonAnswer(json, options);
    if (found) {
      return { ...found, thoughts: joinThoughts(thinking, found.thoughts) };
    }
  }
  return bareAnswer(split, language) ?? answer(thoughts, '', false);
}

/** Code without a fence. */
function bareAnswer(
  { hasFence, prose, thinking }: SplitAnswer,
  language: string
): ParsedAnswer | null {
  const region = hasFence ? null : codeRegion(prose, language);
  if (!region) {
    return null;
  }
  const { start, end } = region;
  const rest = [...prose.slice(0, start), ...prose.slice(end)];
  return answer(
    joinThoughts(thinking, rest.join('\n').replace(/\n{3,}/g, '\n\n')),
    dedented(prose.slice(start, end).join('\n')),
    false
  );
}

function jsonAnswer(text: string, options: SplitOptions): ParsedAnswer | null {
  const found = parseJsonAnswer(text);
  if (!found) {
    return null;
  }
  const inner = /^\s*(?:`{3,}|~{3,})/m.test(found.code)
    ? readText(found.code, options).code
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

export function readProse(answer: string, options: SplitOptions): ParsedAnswer {
  const { dispute, thinking, spoken, thoughts } = splitAnswer(answer, options);
  if (dispute) {
    // What surrounds an objection is no text for the cell.
    return { dispute, thoughts, code: '', closed: false };
  }
  const json = /^\s*\{/.test(spoken) ? parseJsonAnswer(spoken) : null;
  const [, head = '', body = ''] = INTRODUCTION.exec(spoken.trim()) ?? [];
  const text = body || spoken;
  const [closing = ''] = CLOSING.exec(text) ?? [];
  return {
    thoughts: (json
      ? [thinking, json.thoughts]
      : [thinking, head, closing]
    ).reduce(joinThoughts),
    code: json
      ? json.code.trim()
      : unwrapped(text.slice(0, text.length - closing.length)),
    closed: false
  };
}

/** `Sure! Here is the introduction:` before a text that is not empty. */
const INTRODUCTION =
  /^((?:sure|certainly|of course|absolutely|here(?:[’']s| is)|below is)\b[^\n]{0,200}[:!])\n+(\S[^]*)$/i;

/** `Let me know if …` below it: speaks to the one who asked. */
const CLOSING =
  /\n\s*\n(?:(?:please )?let me know|feel free to|i hope (?:this|that|it)|would you like|if you(?:[’']d| would) like|do you want me)\b[^\n]{0,300}\s*$/i;

/** Text without the one fence that wraps all of it; without a label it may be a block of the text, and wraps only if nothing else could close it. */
function unwrapped(text: string): string {
  const body = text.trim();
  const [, mark, label, inner = ''] =
    /^(`{3,}|~{3,})(markdown|md)?[ \t]*\n([^]*)$/i.exec(body) ?? [];
  if (mark === undefined) {
    return body;
  }
  const end = inner.lastIndexOf(`\n${mark}`);
  const within = end < 0 ? inner : inner.slice(0, end);
  return label !== undefined ||
    (end >= 0 &&
      inner.slice(end + 1 + mark.length).trim() === '' &&
      !within.includes(mark))
    ? within.trim()
    : body;
}
