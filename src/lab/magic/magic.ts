/** True for the source of a cell that IPython would hand to our cell magic. */
export function isRefineMagic(source: string): boolean {
  return /^\s*%%refine(\s|$)/.test(source);
}

/** What a `%refine` line asks for: `stop`, the status when it is empty, or something that we do not know. */
export function refineLine(source: string): string | null {
  const found = /^[ \t]*%refine(?:[ \t]+(.*?))?[ \t]*$/m.exec(source);
  return found && !/^\s*%%/.test(source) ? (found[1] ?? '') : null;
}
