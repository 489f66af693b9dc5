/** Text that a model must read as data is put into a fence that the text itself cannot close. */

/** A run of backticks, at least three, longer than any in `content`. */
export function fenceFor(content: string): string {
  let longest = 2;
  for (const [run] of content.matchAll(/`{3,}/g)) {
    longest = Math.max(longest, run.length);
  }
  return '`'.repeat(longest + 1);
}

/** `content` as a fenced block with an info string. */
export function fenced(content: string, info = ''): string {
  const fence = fenceFor(content);
  const end = content.endsWith('\n') ? '' : '\n';
  return `${fence}${info}\n${content}${end}${fence}`;
}
