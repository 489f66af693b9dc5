/** A model's streaming text to thoughts and candidate. */
import { replacement } from '../part/replacement';
import { withoutPart, withPart } from '../part/part';
import {
  joinThoughts,
  withoutMark,
  type ParsedAnswer,
  type ParseDelta,
  type ParseOptions
} from './answer';
import { splitAnswer } from './blocks';
import { isCodeLine } from './looks';
import { namesOfCell } from '../python/names';
import { withoutPasted, type Pasted } from './pasted';
import { cleanCode, readAnswer, readProse } from './reading';

export type { ParseDelta, ParsedAnswer, ParseOptions } from './answer';

/** A block with nothing in it: the lines of a part are to go. */
const EMPTY_BLOCK = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n\s*\1[ \t]*\r?$/m;

/** Read a whole answer. */
export function parseAnswer(text: string, options: ParseOptions): ParsedAnswer {
  const parser = new AnswerParser(options);
  parser.push(text);
  return parser.end().answer;
}

/**
 * Reads one answer while it streams: all of it again at each line. What it ends
 * with is the same however the text was cut into pieces.
 */
export class AnswerParser {
  constructor(private readonly _options: ParseOptions) {}

  /** The candidate is complete: its block has closed, or goes on with pasted checks or examples. */
  isComplete = false;

  /** A part of the answer; null when there is nothing new to show. */
  push(piece: string): ParseDelta | null {
    this._text += this._text === '' ? withoutMark(piece) : piece;
    return piece.includes('\n') ? this._showSoFar() : null;
  }

  /** A part of the separate reasoning channel. */
  reason(text: string): ParseDelta | null {
    this._reasoning += text;
    return this._showSoFar();
  }

  /** The whole answer, and the delta that brings what was shown to it. */
  end(): { readonly answer: ParsedAnswer; readonly delta: ParseDelta | null } {
    const { kind, frame, language } = this._options;
    // Of what goes on with checks, the line that is not whole may be anything.
    const whole = this._isBeyond ? this._lines : this._text;
    const read =
      kind === 'markdown'
        ? readProse(whole, this._options)
        : this._cleaned(readAnswer(whole, this._options));
    const text =
      frame && read.code !== ''
        ? replacement(frame, read.code, language)
        : read.code;
    const isGone =
      frame &&
      text === '' &&
      (read.code !== '' || EMPTY_BLOCK.test(this._text));
    const answer = {
      ...read,
      thoughts: joinThoughts(this._reasoning, read.thoughts),
      code: isGone
        ? withoutPart(frame)
        : frame && text !== ''
          ? withPart(frame, text)
          : text
    };
    return { answer, delta: this._show(answer.thoughts, answer.code) };
  }

  private _showSoFar(): ParseDelta | null {
    const { thoughts, code } = this._soFar();
    const before = this._options.frame?.before ?? '';
    return this._show(
      joinThoughts(this._reasoning, thoughts),
      // The beginning of the cell, up to what has been written.
      code === '' || before.startsWith(code) || code.startsWith(before)
        ? code
        : before + code
    );
  }

  /** Whole lines; nothing of what may be JSON. */
  private _soFar(): { readonly thoughts: string; readonly code: string } {
    const { kind, language, needs = [] } = this._options;
    const text = this._lines;
    if (/^\s*[{["]/.test(text)) {
      return { thoughts: '', code: '' };
    }
    if (kind === 'markdown') {
      return readProse(text, this._options);
    }
    const split = splitAnswer(text, this._options);
    const { candidate, streaming, thoughts, thinking, prose } = split;
    const code = cleanCode(streaming ?? candidate ?? '');
    // It defines all that the cell is there to define, and more than checks.
    const isWhole =
      streaming === null
        ? candidate !== null
        : language === 'python' && needs.length > 0;
    const definesAll = () =>
      language !== 'python' ||
      needs.every(name => namesOfCell(code).binds.has(name));
    const own = isWhole && definesAll() ? this._withoutPasted(code) : null;
    this._isBeyond = streaming !== null && own?.endsBeyond === true;
    this.isComplete =
      this._isBeyond || (streaming === null && !!own && own.code !== '');
    const bare = prose.find(line => line.trim() !== '') ?? '';
    return !split.hasFence && isCodeLine(bare, language)
      ? { thoughts: thinking, code: cleanCode(prose.join('\n')) }
      : { thoughts, code };
  }

  private _cleaned(answer: ParsedAnswer): ParsedAnswer {
    const { code, leftOut } = this._withoutPasted(answer.code);
    return { ...answer, code, ...(leftOut === '' ? {} : { leftOut }) };
  }

  private _withoutPasted(code: string): Pasted {
    const { around, needs = [], language, frame } = this._options;
    return around && language === 'python' && !frame
      ? withoutPasted(code, { ...around, needs })
      : { code, leftOut: '', endsBeyond: false };
  }

  /** What to append to what was shown before; null when there is nothing new. */
  private _show(thoughts: string, code: string): ParseDelta | null {
    const shown = this._shown;
    this._shown = { thoughts, code };
    if (!thoughts.startsWith(shown.thoughts) || !code.startsWith(shown.code)) {
      return { thoughts, code, reset: true };
    }
    const delta = {
      thoughts: thoughts.slice(shown.thoughts.length),
      code: code.slice(shown.code.length)
    };
    return delta.thoughts + delta.code === '' ? null : delta;
  }

  /** Those of the text that are whole. */
  private get _lines(): string {
    return this._text.slice(0, this._text.lastIndexOf('\n') + 1);
  }

  /** The open block goes on with pasted checks or examples. */
  private _isBeyond = false;
  private _shown = { thoughts: '', code: '' };
  private _text = '';
  private _reasoning = '';
}
