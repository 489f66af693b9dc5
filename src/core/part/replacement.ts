/** What an answer puts in place of the part of a cell. */
import { openStringAfter, type OpenString } from '../python/openString';
import { namesOfCell } from '../python/names';
import { leadingBlanks, marks, type Frame } from './part';
import { edges, placeIn } from './place';

/**
 * The new text of the part, indented as the part is; empty where its lines are to go. The answer may hold more than the part: the
 * whole cell, or the class or block around it; of that, only what stands in
 * place of the part counts.
 *
 * @param answer - code without blank lines around it.
 */
export function replacement(
  frame: Frame,
  answer: string,
  language: string
): string {
  const own =
    betweenMarks(answer, language) ?? inPlace(frame, answer) ?? answer;
  return reindented(trimLines(own), frame.text, language);
}

/** Between the marks of the prompt, where the answer repeats them. */
function betweenMarks(answer: string, language: string): string | null {
  const [start, end] = marks(language);
  const lines = answer.split('\n');
  const at = (mark: string) => lines.findIndex(line => line.trim() === mark);
  const from = at(start);
  const to = at(end);
  return from < 0 && to < 0
    ? null
    : lines.slice(from + 1, to < 0 ? undefined : to).join('\n');
}

/** The lines in place of the part in an answer that is the cell, or starts with the head of a block around the part. */
function inPlace(frame: Frame, answer: string): string | null {
  const lines = answer.split('\n');
  const place = placeIn(frame, answer);
  if (place) {
    return lines.slice(place.from, place.to).join('\n');
  }
  const head = lines.findIndex(line => !/^\s*(?:@|$)/.test(line));
  const first = lines[head] ?? '';
  const inner = lines.slice(head + 1);
  const [next = ''] = inner.filter(line => line.trim() !== '');
  if (
    !heads(frame).some(line => line.trim() === first.trim()) ||
    leadingBlanks(next).length <= leadingBlanks(first).length
  ) {
    return null;
  }
  const { from, to } = edges(frame, inner);
  return inner.slice(from ?? 0, to ?? undefined).join('\n');
}

/** The lines above that the part is indented under. */
function heads({ before, text }: Frame): readonly string[] {
  let indent = leadingBlanks(text).length;
  return before
    .split('\n')
    .reverse()
    .filter(line => {
      const own = leadingBlanks(line).length;
      const isHead = line.trim() !== '' && own < indent;
      indent = isHead ? own : indent;
      return isHead;
    });
}

/** The text at the depth of the part. Lines inside of strings keep their blanks, those of a docstring move along. */
function reindented(text: string, part: string, language: string): string {
  const want = leadingBlanks(part);
  const have = leadingBlanks(text);
  if (have === want) {
    return text;
  }
  if (language === 'python' && lacksFirstBlanks(text, part)) {
    return want + text;
  }
  const moves = movableLines(text, language);
  const lines = text.split('\n');
  const margin = common(
    lines.filter((line, i) => moves[i] === 'code' && line.trim() !== '')
  );
  // Deeper lines at the start of the part say nothing of the others.
  const target = have.length > want.length ? want : common(part.split('\n'));
  return lines
    .map((line, i) =>
      moves[i] === 'no' || line.trim() === ''
        ? line
        : target +
          (line.startsWith(margin)
            ? line.slice(margin.length)
            : line.trimStart())
    )
    .join('\n');
}

/** True where the blanks of the first line alone are missing. */
function lacksFirstBlanks(text: string, part: string): boolean {
  const [first = '', ...others] = codeLines(text);
  const [, secondOfPart = ''] = codeLines(part);
  const want = leadingBlanks(part);
  const second = leadingBlanks(others[0] ?? '');
  return (
    others.length > 0 &&
    leadingBlanks(first) === '' &&
    others.every(line => line.startsWith(want)) &&
    (!/[:([{,\\]\s*(?:#.*)?$/.test(first) ||
      (second.length > want.length && second === leadingBlanks(secondOfPart)))
  );
}

/** Lines that hold something and do not start inside of a string of Python. */
function codeLines(text: string): readonly string[] {
  const moves = movableLines(text, 'python');
  return text
    .split('\n')
    .filter((line, i) => moves[i] === 'code' && line.trim() !== '');
}

/** The text without the blanks that all of its lines start with. */
export function dedented(text: string): string {
  const lines = text.split('\n');
  const margin = common(lines.filter(line => line.trim() !== ''));
  return lines
    .map(line => (line.startsWith(margin) ? line.slice(margin.length) : line))
    .join('\n');
}

/** Those of the names that the part binds where it stands; all of them where there is no part. */
export function boundBy(
  frame: Frame | null,
  language: string,
  names: readonly string[]
): readonly string[] {
  if (!frame || language !== 'python') {
    return names;
  }
  if (leadingBlanks(frame.text) !== '') {
    return [];
  }
  const { binds } = namesOfCell(frame.text);
  return names.filter(name => binds.has(name));
}

type Move = 'code' | 'docstring' | 'no';

/** For each line whether it moves with the code; in Python those do not that start inside of a string. */
function movableLines(text: string, language: string): readonly Move[] {
  let open: OpenString = null;
  let docstring = false;
  let before = ':';
  return text.split('\n').map(line => {
    const move: Move = open === null ? 'code' : docstring ? 'docstring' : 'no';
    if (language !== 'python') {
      return 'code';
    }
    const starts = open === null;
    open = openStringAfter(line, open);
    if (starts && open !== null) {
      docstring =
        /^\s*[rRuU]?(?:"""|''')/.test(line) && before.trimEnd().endsWith(':');
    }
    before = line.trim() === '' ? before : line;
    return move;
  });
}

function common(lines: readonly string[]): string {
  const [first = '', ...others] = lines.filter(line => line.trim() !== '');
  let margin = leadingBlanks(first);
  for (const line of others) {
    while (!line.startsWith(margin)) {
      margin = margin.slice(0, -1);
    }
  }
  return margin;
}

function trimLines(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
