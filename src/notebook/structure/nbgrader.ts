/** Hidden test regions of nbgrader: part of a check cell that no student, and no model, may see. */

/** A comment of its own: the same words in a string or in prose are no region. */
const BEGIN = /^\s*#+\s*BEGIN HIDDEN TESTS\b/;
const END = /^\s*#+\s*END HIDDEN TESTS\b/;

/**
 * Hidden regions become hold-outs. A region inside an indented block cannot be
 * run without what is around it: then the whole cell is hidden, which reveals less.
 * A region without an end reaches to the end of the cell.
 */
export function splitHiddenTests(source: string) {
  const visible: string[] = [];
  const hidden: string[] = [];
  const handedOut: string[] = [];
  let inside = false;
  let isWhole = false;
  for (const line of source.split('\n')) {
    const begins = BEGIN.test(line);
    inside ||= begins;
    isWhole ||= begins && /^\s/.test(line);
    visible.push(inside ? '' : line);
    hidden.push(inside && !begins && !END.test(line) ? line : '');
    if (!inside) {
      handedOut.push(line);
    }
    inside &&= !END.test(line);
  }
  return {
    /** The cell without its hidden regions; lines keep their numbers. */
    visible: isWhole ? '' : visible.join('\n'),
    /** Only the hidden regions, or the whole cell where they do not stand by themselves; blank if there are none. */
    hidden: isWhole ? source : hidden.join('\n'),
    /** The cell as nbgrader hands it out: hidden regions are not there. */
    handedOut: handedOut.join('\n')
  };
}
