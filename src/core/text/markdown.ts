/** Text made of parts and fences, as prompts and feedback hold it. */

/** Those that are not empty, a paragraph each. */
export function joined(parts: readonly string[], separator = '\n\n'): string {
  return parts.filter(part => part !== '').join(separator);
}

/** Those that are not empty, a line each. */
export function joinedLines(parts: readonly string[]): string {
  return joined(parts, '\n');
}

/** A run of backticks, at least three, longer than any in `content`. */
export function fenceFor(content: string): string {
  let longest = 2;
  for (const [run] of content.matchAll(/`{3,}/g)) {
    longest = Math.max(longest, run.length);
  }
  return '`'.repeat(longest + 1);
}

/** `content` as a fenced block with an info string: what a model must read as data cannot close it. */
export function fenced(content: string, info = ''): string {
  const fence = fenceFor(content);
  const end = content.endsWith('\n') ? '' : '\n';
  return `${fence}${info}\n${content}${end}${fence}`;
}
