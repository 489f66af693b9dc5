/** True for the source of a cell that IPython would hand to our cell magic. */
export function isRefineMagic(source: string): boolean {
  return /^\s*%%refine(\s|$)/.test(source);
}
