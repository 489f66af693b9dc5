/** CSI and OSC sequences, and the two-character escapes kernels send. */
const ESCAPES =
  // eslint-disable-next-line no-control-regex
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g;

/** `text` without terminal colours, cursor movements and links. */
export function stripAnsi(text: string): string {
  return text.replace(ESCAPES, '');
}

/** `text`, cut in the middle to at most `limit` characters, the cut shown with its size. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) {
    return text;
  }
  const head = Math.floor((limit - 60) / 2);
  const cut = text.length - 2 * head;
  return `${text.slice(0, head)}\n… ${cut} characters cut …\n${text.slice(-head)}`;
}
