/** A model's streaming text to thoughts and candidate. */
import { Shown, type ParseDelta } from './parse/delta';
import { parseJsonAnswer } from './parse/json';
import { codeRegion } from './parse/looks';
import { readProse } from './parse/prose';
import { AnswerScanner, type ProseLine } from './parse/scanner';

export type { ParseDelta } from './parse/delta';

export type ParseOptions = {
  /** The kernel's language, lower case: `python`. */
  readonly language: string;
  /** For a markdown target the whole answer is the candidate. */
  readonly kind: 'code' | 'markdown';
};

export type ParsedAnswer = {
  readonly thoughts: string;
  /** The candidate; empty when the answer holds none. */
  readonly code: string;
  /** True when the candidate's fence was closed; false for bare code, JSON, prose and a fence left open. */
  readonly closed: boolean;
};

/** Reads one answer while it streams; what it ends with is the same however the text was cut into pieces. */
export interface IAnswerParser {
  /** The candidate of a code block that has closed and that nothing has superseded so far. */
  readonly closed: string | null;
  /** A part of the answer; null when there is nothing new to show. */
  push(text: string): ParseDelta | null;
  /** A part of the separate reasoning channel. */
  reason(text: string): ParseDelta | null;
  /** The whole answer, and the delta that brings what was shown to it. */
  end(): { readonly answer: ParsedAnswer; readonly delta: ParseDelta | null };
}

export function createParser(options: ParseOptions): IAnswerParser {
  return options.kind === 'markdown'
    ? new ProseParser()
    : new CodeParser(options.language);
}

/** Read a whole answer. */
export function parseAnswer(text: string, options: ParseOptions): ParsedAnswer {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().answer;
}

class ProseParser implements IAnswerParser {
  readonly closed = null;

  push(text: string): ParseDelta | null {
    this._text += text;
    // JSON shows nothing until it is whole.
    return /^\s*\{/.test(this._text) ? null : this._delta();
  }

  reason(text: string): ParseDelta | null {
    this._reasoning += text;
    return this._delta();
  }

  end(): { answer: ParsedAnswer; delta: ParseDelta | null } {
    const { thoughts, prose } = this._read();
    return {
      answer: { thoughts, code: prose, closed: false },
      delta: this._delta()
    };
  }

  private _read() {
    const { thoughts, prose } = readProse(this._text);
    return { thoughts: joinThoughts(this._reasoning, thoughts), prose };
  }

  private _delta(): ParseDelta | null {
    const { thoughts, prose } = this._read();
    return this._shown.change(thoughts, prose);
  }

  private _text = '';
  private _reasoning = '';
  private _shown = new Shown();
}

class CodeParser implements IAnswerParser {
  constructor(private readonly _language: string) {
    this._scanner = new AnswerScanner({ language: _language });
  }

  get closed(): string | null {
    const code = this._json ? null : this._scanner.closed;
    return code === null ? null : cleanCode(code);
  }

  push(text: string): ParseDelta | null {
    this._raw += text;
    const lines = (this._partial + text).split('\n');
    this._partial = lines.pop() ?? '';
    for (const line of lines) {
      this._line(line);
    }
    return this._delta();
  }

  reason(text: string): ParseDelta | null {
    this._reasoning += text;
    return this._delta();
  }

  end(): { answer: ParsedAnswer; delta: ParseDelta | null } {
    if (this._partial !== '') {
      const last = this._partial;
      this._partial = '';
      this._line(last);
    }
    const read = this._json
      ? (jsonAnswer(this._raw, this._language) ??
        scan(this._raw, this._language))
      : finish(this._scanner, this._raw, this._language);
    const answer = {
      ...read,
      thoughts: joinThoughts(this._reasoning, read.thoughts)
    };
    return { answer, delta: this._shown.change(answer.thoughts, answer.code) };
  }

  private _line(text: string): void {
    const line = text.replace(/\r$/, '');
    if (!this._begun && line.trim() !== '') {
      this._begun = true;
      this._json = line.trimStart().startsWith('{');
    }
    if (!this._json) {
      this._scanner.feed(line);
    }
  }

  private _delta(): ParseDelta | null {
    const { thoughts, streaming } = this._scanner;
    const partial = this._scanner.showsAsThought(this._partial)
      ? this._partial
      : '';
    return this._shown.change(
      joinThoughts(this._reasoning, thoughts + partial),
      cleanCode(streaming)
    );
  }

  private readonly _scanner: AnswerScanner;
  private _raw = '';
  private _partial = '';
  private _reasoning = '';
  private _begun = false;
  private _json = false;
  private _shown = new Shown();
}

/** Read text that is known not to be one JSON object. */
function scan(
  text: string,
  language: string,
  plainFences = false
): ParsedAnswer {
  const scanner = new AnswerScanner({ language, plainFences });
  for (const line of text.replace(/\n$/, '').split('\n')) {
    scanner.feed(line.replace(/\r$/, ''));
  }
  return finish(scanner, text, language);
}

/** What the scanner's findings mean once the answer is whole. */
function finish(
  scanner: AnswerScanner,
  text: string,
  language: string
): ParsedAnswer {
  const { fence } = scanner;
  if (fence?.doubtful) {
    return scan(text, language, true);
  }
  if (fence && !fence.aside && scanner.holdsCode(fence)) {
    return answer(scanner.thoughts, fence.text.replace(/`{3,}\s*$/, ''), false);
  }
  if (scanner.candidate !== null) {
    return answer(scanner.thoughts, scanner.candidate, true);
  }
  const jsonTexts = [...scanner.jsonBlocks].reverse();
  const prose = scanner.prose.map(line => line.text);
  const brace = prose.findIndex(line => line.trimStart().startsWith('{'));
  if (brace >= 0) {
    jsonTexts.push(prose.slice(brace).join('\n'));
  }
  for (const jsonText of jsonTexts) {
    const found = jsonAnswer(jsonText, language);
    if (found) {
      return {
        ...found,
        thoughts: joinThoughts(scanner.thinking, found.thoughts)
      };
    }
  }
  return (
    bareAnswer(scanner, language) ??
    (scanner.example !== null
      ? answer(scanner.thoughts, scanner.example, true)
      : null) ??
    nestedAnswer(scanner, language) ??
    answer(scanner.thoughts, '', false)
  );
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
  const region = codeRegion(texts, language);
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
    texts.slice(region.start, region.end).join('\n'),
    false
  );
}

/** The whole answer was wrapped into a markdown fence. */
function nestedAnswer(
  scanner: AnswerScanner,
  language: string
): ParsedAnswer | null {
  for (const block of [...scanner.proseBlocks].reverse()) {
    const inner = scan(block, language);
    if (inner.code !== '') {
      return inner;
    }
  }
  return null;
}

function jsonAnswer(text: string, language: string): ParsedAnswer | null {
  const found = parseJsonAnswer(text);
  if (!found) {
    return null;
  }
  const inner = /^\s*(?:`{3,}|~{3,})/m.test(found.code)
    ? scan(found.code, language).code
    : '';
  return answer(found.thoughts, inner === '' ? found.code : inner, false);
}

function answer(thoughts: string, code: string, closed: boolean): ParsedAnswer {
  return { thoughts: thoughts.trim(), code: cleanCode(code), closed };
}

/** Code as it goes into a cell: no `%%refine` line, no blank lines around it. */
function cleanCode(code: string): string {
  return code
    .replace(/^%%refine\b.*(?:\n|$)/gm, '')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}

function joinThoughts(a: string, b: string): string {
  return [a.trim(), b.trim()].filter(part => part !== '').join('\n\n');
}
