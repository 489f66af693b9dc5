/** What a whole answer means for a markdown cell: its text, and what is said about it. */
import { joinThoughts, type ParsedAnswer } from './answer';
import { SplitAnswer, type SplitOptions } from './blocks';
import { parseJsonAnswer } from '../text/json';

export function readProse(answer: string, options: SplitOptions): ParsedAnswer {
  const split = new SplitAnswer(answer, options);
  const { dispute, thinking, spoken } = split;
  if (dispute) {
    // What surrounds an objection is no text for the cell.
    const thoughts = split.thoughts.trim();
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
