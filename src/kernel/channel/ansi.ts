/** CSI and OSC sequences, and the two-character escapes kernels send. */
const ESCAPES =
  // eslint-disable-next-line no-control-regex
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])/g;

/** `text` without terminal colours, cursor movements and links. */
export function stripAnsi(text: string): string {
  return text.replace(ESCAPES, '');
}
