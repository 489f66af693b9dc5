/** Finds where two tables of text differ, and scrolls it into view. */
import { useEffect, type RefObject } from 'react';

/** Characters of a line, from `start` to before `end`. */
export type Columns = {
  readonly line: number;
  readonly start: number;
  readonly end: number;
};

/** Pixels that stay visible beside the word that is scrolled into view. */
const MARGIN = 16;

/** The line with the number of rows and columns that pandas prints below a frame. */
const COUNTS = /^\[\d+ rows x \d+ columns\]$/;

/**
 * The leftmost word that differs between lines of the same number, in either
 * text; null where these lines are equal.
 *
 * @example `differingColumns('a  b\n1 20', 'a  b\n1  5')` gives `{ line: 1, start: 2, end: 4 }`.
 */
export function differingColumns(one: string, other: string): Columns | null {
  const others = other.split('\n');
  let found: Columns | null = null;
  for (const [line, text] of one.split('\n').entries()) {
    const beside = others[line];
    if (beside === undefined || text === beside || COUNTS.test(text)) {
      continue;
    }
    let first = 0;
    while (text[first] === beside[first]) {
      first++;
    }
    const words = [wordAt(text, first), wordAt(beside, first)];
    const start = Math.min(...words.map(word => word.start));
    if (found === null || start < found.start) {
      found = { line, start, end: Math.max(...words.map(word => word.end)) };
    }
  }
  return found;
}

/** The word at an index, or the next one after spaces. */
function wordAt(text: string, index: number): Omit<Columns, 'line'> {
  const before = /\S*$/.exec(text.slice(0, index))?.[0].length ?? 0;
  const rest = /^\s*\S*/.exec(text.slice(index))?.[0].length ?? 0;
  return { start: index - before, end: index + rest };
}

/** Scroll the tables of an element sideways to these columns, whenever the width of the tables hides them. */
export function useColumnsInView(
  element: RefObject<HTMLElement>,
  columns: Columns | null
): void {
  const { line, start, end } = columns ?? { line: 0, start: 0, end: 0 };
  useEffect(() => {
    if (end === 0 || typeof ResizeObserver === 'undefined') {
      return;
    }
    // Also in a panel that is hidden at first, or made narrower.
    const observer = new ResizeObserver(entries => {
      for (const { target } of entries) {
        reveal(target, { line, start, end });
      }
    });
    for (const table of element.current?.querySelectorAll('.jp-mod-table') ??
      []) {
      observer.observe(table);
    }
    return () => observer.disconnect();
  }, [element, line, start, end]);
}

function reveal(table: Element, { line, start, end }: Columns): void {
  const text = table.firstChild;
  const lines = (text?.nodeValue ?? '').split('\n');
  const length = lines[line]?.length ?? 0;
  if (!text || length === 0) {
    return;
  }
  const before = lines.slice(0, line).join('\n').length + (line > 0 ? 1 : 0);
  const range = document.createRange();
  range.setStart(text, before + Math.min(start, length));
  range.setEnd(text, before + Math.min(end, length));
  const word = range.getBoundingClientRect();
  const box = table.getBoundingClientRect();
  if (word.right > box.right || word.left < box.left) {
    // A word that is wider than the table is shown from its start.
    table.scrollLeft += Math.min(
      word.left - box.left - MARGIN,
      word.right - box.right + MARGIN
    );
  }
}
