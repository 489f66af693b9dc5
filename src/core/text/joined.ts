/** Texts made of parts, of which some may be empty. */

/** Those that are not empty, a paragraph each. */
export function joined(parts: readonly string[], separator = '\n\n'): string {
  return parts.filter(part => part !== '').join(separator);
}

/** Those that are not empty, a line each. */
export function joinedLines(parts: readonly string[]): string {
  return joined(parts, '\n');
}
