/** A part of a cell: the lines that a session refines while the rest stays byte for byte. */
import { languageOf } from '../languages/list';

/** Lines of a source, from 1, both included. */
export type Part = { readonly first: number; readonly last: number };

/** A source around its part; the three texts together are the source. */
export type Frame = {
  readonly before: string;
  /** Without the line break after its last line. */
  readonly text: string;
  readonly after: string;
};

/** Lines beyond the end of the source count as its last one. */
export function frameOf(source: string, { first, last }: Part): Frame {
  const lines = source.split('\n');
  const from = Math.min(Math.max(first, 1), lines.length) - 1;
  const to = Math.max(from + 1, Math.min(last, lines.length));
  const before = lines
    .slice(0, from)
    .map(line => `${line}\n`)
    .join('');
  const text = lines.slice(from, to).join('\n');
  return { before, text, after: source.slice(before.length + text.length) };
}

/** The frame of a request's target; null when all of it is refined. */
export function frameOfRequest(request: {
  readonly target: { readonly source: string };
  readonly part?: Part;
}): Frame | null {
  return request.part ? frameOf(request.target.source, request.part) : null;
}

/** The source with another text in place of the part. */
export function withPart({ before, after }: Frame, text: string): string {
  return before + text + after;
}

/** The source without the lines of the part. */
export function withoutPart({ before, after }: Frame): string {
  return after.startsWith('\n')
    ? before + after.slice(1)
    : before.replace(/\r?\n$/, '') + after;
}

/** What stands in place of the part in a source that is otherwise the same; null when it is not. */
export function textInPlace(frame: Frame, source: string): string | null {
  const { before, after } = frame;
  if (source === withoutPart(frame)) {
    return '';
  }
  return source.length >= before.length + after.length &&
    source.startsWith(before) &&
    source.endsWith(after)
    ? source.slice(before.length, source.length - after.length)
    : null;
}

/** What a prompt shows of a candidate: all of it, or what it has in place of the part. */
export function refinedText(
  request: Parameters<typeof frameOfRequest>[0],
  code: string
): string {
  const frame = frameOfRequest(request);
  return (frame && textInPlace(frame, code)) ?? code;
}

/** The part without blank lines at its start and end; null when it has no other lines. */
export function trimmedPart(source: string, part: Part): Part | null {
  const numbers = source
    .split('\n')
    .flatMap((line, i) => (line.trim() === '' ? [] : [i + 1]))
    .filter(number => number >= part.first && number <= part.last);
  const [first] = numbers;
  const last = numbers.at(-1);
  return first && last ? { first, last } : null;
}

/** The whole source with a comment above the part and one below it. */
export function markedSource(frame: Frame, language: string): string {
  const [start, end] = marks(language);
  const indent = leadingBlanks(frame.text);
  return withPart(frame, [indent + start, frame.text, indent + end].join('\n'));
}

/** The comments that enclose the part in a prompt. */
export function marks(language: string): readonly [string, string] {
  const { comment } = languageOf(language);
  return [
    `${comment} --- to replace: start ---`,
    `${comment} --- to replace: end ---`
  ];
}

/** Blanks before the first line that has more than blanks. */
export function leadingBlanks(text: string): string {
  return /^(?:[ \t]*\n)*([ \t]*)(?=[^ \t\n])/.exec(text)?.[1] ?? '';
}

/** The last line, from 0, of a statement between two lines: comments that are indented below it belong to it. */
export function blockEnd(
  lines: readonly string[],
  first: number,
  last: number,
  to = lines.length
): number {
  const indent = leadingBlanks(lines[first] ?? '').length;
  let end = last;
  for (let at = last + 1; at < to; at++) {
    const line = lines[at] ?? '';
    if (line.trim() !== '' && leadingBlanks(line).length <= indent) {
      break;
    }
    end = line.trim() === '' ? end : at;
  }
  return end;
}
