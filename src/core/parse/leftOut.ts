/** The cell keeps what an answer leaves out: definitions, imports and constants that the task did not ask to remove. */
import type { SyntaxNode } from '@lezer/common';
import type { RefineRequest } from '../domain/request';
import { blockEnd } from '../part/part';
import { dedented } from '../part/replacement';
import { isForeignMagic, parsePython, undecorated } from '../python/syntax';
import { namesOfCell } from '../python/names';
import { openStringAfter, type OpenString } from '../python/openString';
import { topLevel } from '../python/checks';

/** A statement of a cell or of a class. */
type Piece = {
  /** With the comments above it. */
  readonly lines: readonly string[];
  readonly bare: string;
  /** What it binds. */
  readonly names: readonly string[];
  /** A definition, an import or a constant. */
  readonly isKept: boolean;
  /** A function whose body is `...`. */
  readonly isHollow: boolean;
  /** A comment in a function that stands for code. */
  readonly gap: string | null;
  /** Of a class; null for one on a single line, and for what is none. */
  readonly members: Block | null;
};

type Block = {
  /** Above the first statement: the magic of a cell, the head of a class. */
  readonly head: readonly string[];
  readonly items: readonly Piece[];
  /** A comment or three dots among them say that code of before stands. */
  readonly isMarked: boolean;
};

type Asked = Pick<RefineRequest, 'language' | 'target' | 'prompt' | 'followUp'>;

/** Starts the warning that names what was put back. */
export const KEPT = 'Kept from the cell, since the answer left it out: ';

/** What the cell defines and is to keep; none in other languages than Python. */
export function namesToKeep(request: Asked): readonly string[] {
  const { language, target } = request;
  return language === 'python' && target.kind === 'code'
    ? keptNames(target.source).filter(
        name => !asksToRemove(askedOf(request), name)
      )
    : [];
}

/** Whether the examples in docstrings of the cell are to stay. */
export function keepsExamples(request: Asked): boolean {
  return (
    request.language === 'python' &&
    request.target.kind === 'code' &&
    !['docstring', 'docstrings', 'doctest', 'doctests'].some(word =>
      asksToRemove(askedOf(request), word)
    )
  );
}

function askedOf({ prompt, followUp }: Asked): string {
  return `${prompt}\n${followUp?.text ?? ''}`;
}

/** What the next prompt says of names that were put back. */
export function keptText(kept: readonly string[]): string {
  return `The answer left out what the cell defines: ${kept.join(', ')}. It was put back. Answer with the complete cell.`;
}

/**
 * The code of an answer, with what it left out of the programs that it may change.
 *
 * @param programs - the one that the prompt showed last, then the cell.
 * @param names - what of them to keep.
 * @returns `kept`: names of what was put back, `Class.method` for a member. `gap`: a comment
 * that stands for code within a function, which nothing can put back.
 */
export function completed(
  answer: string,
  programs: readonly string[],
  names: readonly string[]
) {
  let code = answer;
  const kept: string[] = [];
  let gap: string | null = null;
  for (const program of answer.trim() === '' ? [] : programs) {
    const found: Found = { kept, gaps: [], count: 0 };
    const block = blockOf(withMarks(code));
    const lines = merge(block, blockOf(program), '', names, found);
    if (found.count > 0) {
      code = lines.join('\n').replace(/^\n+/, '').trimEnd();
    }
    gap ??= found.gaps.find(text => !program.includes(text)) ?? null;
  }
  return { code, kept, gap };
}

/** What `merge` finds. */
type Found = {
  readonly kept: string[];
  readonly gaps: string[];
  /** Statements that were put back. */
  count: number;
};

/** @param path - `Class.` within a class. */
function merge(
  answer: Block,
  before: Block,
  path: string,
  names: readonly string[],
  found: Found
): readonly string[] {
  const { items, isMarked } = answer;
  const old = before.items;
  const bound = new Set(items.flatMap(item => item.names));
  const places = placesOf(items, old);
  const keep = (lines: readonly string[], own: readonly string[]) => {
    found.count++;
    found.kept.push(...own.map(name => path + name));
    return lines;
  };
  const out = items.map((item, i) => {
    const at = places[i] ?? -1;
    const other = old[at];
    if (other && item.isHollow && !other.isHollow) {
      return { at, lines: keep(other.lines, item.names) };
    }
    if (other?.members && item.members) {
      const inner = `${path}${item.names[0]}.`;
      const { count } = found;
      const own = merge(item.members, other.members, inner, names, found);
      return { at, lines: found.count > count ? own : item.lines };
    }
    found.gaps.push(...(item.gap === null ? [] : [item.gap]));
    return { at, lines: item.lines };
  });
  // What is in the answer in no form goes below what was above it.
  for (const [at, piece] of old.entries()) {
    const missed = piece.names.filter(name => !bound.has(name));
    const isMissing = piece.isKept
      ? missed.some(name => names.includes(path + name))
      : isMarked && missed.length === piece.names.length;
    if (isMissing && !places.includes(at)) {
      const last = out.findLastIndex(own => own.at >= 0 && own.at < at);
      out.splice(last + 1, 0, { at, lines: keep(piece.lines, missed) });
    }
  }
  // The first statement of an answer has no blank line above it.
  const isApart = ([first]: readonly string[]) => first?.trim() === '';
  return [
    ...answer.head,
    ...out.flatMap(({ at, lines: own }, i) =>
      i > 0 && isApart(old[at]?.lines ?? []) && !isApart(own)
        ? ['', ...own]
        : own
    )
  ];
}

/** Of each statement of an answer the number of what it was: the same text, or one that binds one of its names; else -1. */
function placesOf(
  items: Block['items'],
  old: readonly Piece[]
): readonly number[] {
  const taken = new Set<number>();
  return items.map(({ bare, names }) => {
    const free = (isIt: (piece: Piece) => boolean) =>
      old.findIndex((piece, at) => !taken.has(at) && isIt(piece));
    const same = free(piece => piece.bare === bare);
    const at =
      same >= 0
        ? same
        : free(piece => piece.names.some(name => names.includes(name)));
    taken.add(at);
    return at;
  });
}

function keptNames(source: string): readonly string[] {
  return isForeignMagic(source)
    ? []
    : blockOf(source).items.flatMap(item => (item.isKept ? namesIn(item) : []));
}

/** Its own, and those of the members of a class. */
function namesIn({ names, members }: Piece): readonly string[] {
  const inner = members?.items.flatMap(item => item.names) ?? [];
  return [...names, ...inner.map(name => `${names[0]}.${name}`)];
}

function blockOf(source: string): Block {
  const { root, text } = parsePython(source);
  const lines = source.split('\n');
  const head = lines.findIndex(line => !line.startsWith('%%'));
  return blockIn(root, Math.max(0, head), lines.length, { text, lines });
}

/** The statements of a cell or a class between two lines. */
function blockIn(
  body: SyntaxNode,
  from: number,
  to: number,
  source: { readonly text: string; readonly lines: readonly string[] }
): Block {
  const { text, lines } = source;
  const lineOf = (at: number) => text.slice(0, at).split('\n').length - 1;
  const isMark = (line: string) => /^\s*#/.test(line) && saysKept(line);
  const items: Piece[] = [];
  let isMarked = false;
  let start = from;
  const withoutMarks = (end: number): readonly string[] => {
    const above = lines.slice(start, end);
    isMarked ||= above.some(isMark);
    return above.filter(line => !isMark(line));
  };
  for (const node of topLevel(body)) {
    const bare = text.slice(node.from, node.to).trimEnd();
    const first = lineOf(node.from);
    if (first < start) {
      // Behind a semicolon.
      continue;
    }
    const above = withoutMarks(first);
    start = blockEnd(lines, first, lineOf(node.from + bare.length), to) + 1;
    if (bare === '...') {
      isMarked = true;
      continue;
    }
    const own = dedented(lines.slice(first, start).join('\n'));
    const { binds } = namesOfCell(own);
    const inner = undecorated(node);
    const block = inner.getChild('Body');
    const head = lineOf((block ?? inner).from) + 1;
    items.push({
      lines: [...above, ...lines.slice(first, start)],
      bare,
      names: /^from .* import \*$/.test(bare) ? [bare] : [...binds],
      isKept: isKept(inner, text, body.name === 'Body'),
      gap: inner.name === 'FunctionDefinition' ? gapIn(own) : null,
      isHollow: /:\s*(?:#.*)?\n?\s*\.\.\.\s*(?:#.*)?$/.test(own),
      members:
        block &&
        inner.name === 'ClassDefinition' &&
        head < start &&
        head > first
          ? {
              ...blockIn(block, head, start, source),
              head: [...above, ...lines.slice(first, head)]
            }
          : null
    });
  }
  withoutMarks(to);
  return { head: lines.slice(0, from), items, isMarked };
}

/** `# ... existing checks ...`: not every comment that says the same of something stands for code. */
function gapIn(own: string): string | null {
  const marks = [...own.matchAll(/^\s+(?:\.{3}\s+)?(#.*(?:\.\.|…|[[(]).*)$/gm)];
  return marks.map(([, mark = '']) => mark).find(saysKept) ?? null;
}

const NAME_OF_CONSTANT = /^_*[A-Z][A-Z0-9_]*$/;

function isKept(node: SyntaxNode, text: string, isMember: boolean): boolean {
  switch (node.name) {
    case 'FunctionDefinition':
    case 'ClassDefinition':
    case 'ImportStatement':
      return true;
    case 'AssignStatement':
      return isMember || isConstant(node, text);
    case 'TryStatement':
    case 'IfStatement':
      return node
        .getChildren('Body')
        .flatMap(topLevel)
        .some(inner => /Definition$|^ImportStatement$/.test(inner.name));
    default:
      return false;
  }
}

/** `RATE = f()`. */
function isConstant(node: SyntaxNode, text: string): boolean {
  const name = node.getChild('VariableName');
  return name !== null && NAME_OF_CONSTANT.test(text.slice(name.from, name.to));
}

/** The words of a comment that stands for code: all of them, with one of {@link STANDS} among them. */
const STANDS =
  /^(?:existing|unchanged|unmodified|untouched|same|rest|remain|remains|remaining|before|previous|previously|original|others?|omitted|stays?|kept|keep)$/;
const ALSO =
  /^(?:the|of|a|an|and|or|as|is|are|be|was|were|it|its|they|them|i|you|your|my|this|that|these|those|all|every|everything|each|else|code|cell|file|notebook|functions?|methods?|class|classes|definitions?|imports?|helpers?|constants?|variables?|lines?|parts?|body|logic|implementations?|statements?|stuff|here|there|goes|above|below|with|in|to|from|for|brevity|no|not|nothing|changes?|changed|needed|required|exactly|just|still|will|should|must|up|on|continues?|your|follows?|etc|content|contents|section|block|left|have|has|been)$/;

function saysKept(comment: string): boolean {
  const plain = comment.replace(/^\s*#+/, '').trim();
  if (/^(?:\.\.\.|…)$/.test(plain)) {
    return true;
  }
  const words = plain.toLowerCase().match(/[^\W\d]\w*/g) ?? [];
  return (
    words.length <= 16 &&
    words.some(word => STANDS.test(word)) &&
    (/^(?:\.\.\.|…|[[(<])/.test(plain) ||
      words.every(word => STANDS.test(word) || ALSO.test(word)))
  );
}

/** A comment, or a line that starts with three dots and is no Python; `...` in a body is a body. */
const MARK = /^(\s*)(#.*|…|\.\.\. *\S.*|(?<!\s)\.\.\.)$/;

/** The answer with each mark as a comment: `... rest of the code` is no Python, nor a body of a comment alone. */
function withMarks(answer: string): string {
  let open = null as OpenString;
  let above = '';
  return answer
    .split('\n')
    .map(line => {
      const isText = open !== null;
      open = openStringAfter(line, open);
      const [, indent = '', mark = ''] = MARK.exec(line) ?? [];
      if (isText || mark === '...' || !saysKept(mark)) {
        above = line.trim() === '' ? above : line;
        return line;
      }
      const isBody = indent !== '' && /:\s*(?:#.*)?$/.test(above);
      const comment = mark.startsWith('#') ? mark : `# ${mark}`;
      return isBody ? `${indent}...  ${comment}` : indent + comment;
    })
    .join('\n');
}

const REMOVES =
  /\b(?:remov|delet|drop|renam|replac|merg|inlin|eliminat|get rid|without|instead of|no longer|unused|extract|mov)\w*\b/i;
const REMOVES_ALL =
  /\b(?:remove|delete|drop|get rid of|eliminate|clean up|unused|dead)\s+(?:(?:all|the|any|these|unused|dead|other|old|my|extra|of)\s+)*(?:imports?|helpers?|functions?|constants?|class(?:es)?|methods?|definitions?|code|everything|rest)\b/i;

/** Whether a sentence of the task names it together with a word for removing, or removes all of a kind. */
function asksToRemove(task: string, name: string): boolean {
  const parts = name.split('.');
  return task
    .split(/[.!?;](?:\s|$)|\n/)
    .some(
      text =>
        REMOVES_ALL.test(text) ||
        (REMOVES.test(text) &&
          parts.some(part => text.split(/\W+/).includes(part)))
    );
}
