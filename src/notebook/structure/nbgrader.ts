/** Hidden test regions of nbgrader: part of a check cell that no student, and no model, may see. */

/** A comment of its own: the same words in a string or in prose are no region. */
const BEGIN = /^\s*#+\s*BEGIN HIDDEN TESTS\b/;
const END = /^\s*#+\s*END HIDDEN TESTS\b/;

export type SplitTests = {
  /** The cell without its hidden regions; lines keep their numbers. */
  readonly visible: string;
  /** Only the hidden regions, or the whole cell where they do not stand by themselves; empty if there are none. */
  readonly hidden: string;
};

/**
 * Hidden regions become hold-outs. A region inside an indented block cannot be
 * run without what is around it: then the whole cell is hidden, which reveals less.
 * A region without an end reaches to the end of the cell.
 */
export function splitHiddenTests(source: string): SplitTests {
  const lines = source.split('\n');
  if (!lines.some(line => BEGIN.test(line))) {
    return { visible: source, hidden: '' };
  }
  const visible: string[] = [];
  const hidden: string[] = [];
  let inside = false;
  for (const line of lines) {
    inside ||= BEGIN.test(line);
    const delimiter = BEGIN.test(line) || END.test(line);
    visible.push(inside ? '' : line);
    hidden.push(inside && !delimiter ? line : '');
    inside &&= !END.test(line);
  }
  return lines.some(line => BEGIN.test(line) && /^\s/.test(line))
    ? { visible: '', hidden: source }
    : { visible: visible.join('\n'), hidden: hidden.join('\n') };
}

/** The cell as nbgrader hands it out: hidden regions are not there. */
export function withoutHiddenTests(source: string): string {
  return source.replace(
    /^[ \t]*#+[ \t]*BEGIN HIDDEN TESTS\b[^]*?(?:^[ \t]*#+[ \t]*END HIDDEN TESTS\b.*\n?|(?![^]))/gm,
    ''
  );
}
