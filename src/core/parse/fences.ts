/** Fence lines of Markdown, as models write them. */
import type { OpenString } from '../python/openString';
import type { FenceKind } from './info';

/** A block that is open. */
export type Fence = {
  readonly mark: string;
  readonly indent: number;
  readonly kind: FenceKind;
  /** First word of its info string, lower case. */
  readonly label: string;
  /** Introduced as an example. */
  readonly announced: boolean;
  /** Not shown as code before it has closed: an example, or without a label after a block that counts. */
  readonly aside: boolean;
  /** The line that opened it. */
  readonly opening: string;
  text: string;
  /** A string that continues over the line's end, in Python. */
  open: OpenString;
  /** A closing fence was passed over because a string was open. */
  doubtful: boolean;
};

export type FenceLine = {
  readonly indent: number;
  readonly mark: string;
  readonly info: string;
};

const OPENING = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})\s*([^`]*)$/;
const CLOSING = /^(\s*)(`{3,}|~{3,})\s*(?:<.*)?$/;
const ONE_LINE = /^\s*(`{3,})([\w+-]*)[ \t]+(\S.*?)\s*\1\s*$/;

/** A line that opens a block; indentation and list marker count as its indent. */
export function openingFence(line: string): FenceLine | null {
  const match = OPENING.exec(line);
  if (!match) {
    return null;
  }
  const [, indent = '', mark = '', info = ''] = match;
  return { indent: indent.length, mark, info };
}

/** A whole block on one line: "```python x = 1```". */
export function oneLineBlock(line: string): {
  readonly mark: string;
  readonly info: string;
  readonly text: string;
} | null {
  const match = ONE_LINE.exec(line);
  if (!match) {
    return null;
  }
  const [, mark = '', info = '', text = ''] = match;
  return { mark, info, text };
}

/** True for a line that closes `fence`; a tag may follow on it. */
export function closesFence(line: string, fence: Fence): boolean {
  const [match, indent = '', mark = ''] = CLOSING.exec(line) ?? [];
  return match !== undefined && belongs({ indent: indent.length, mark }, fence);
}

/** The line with which a model starts a new block without having closed `fence`. */
export function reopensFence(line: string, fence: Fence): FenceLine | null {
  const next = openingFence(line);
  return next && next.info !== '' && belongs(next, fence) ? next : null;
}

function belongs(
  line: { readonly indent: number; readonly mark: string },
  fence: Fence
): boolean {
  return (
    line.mark[0] === fence.mark[0] &&
    line.mark.length >= fence.mark.length &&
    line.indent <= fence.indent + 3
  );
}

/** `line` without at most `columns` leading blanks. */
export function dedent(line: string, columns: number): string {
  let i = 0;
  while (i < columns && (line[i] === ' ' || line[i] === '\t')) {
    i++;
  }
  return line.slice(i);
}
