/**
 * Text of models and kernels, safe to show. It is only ever put into text
 * nodes; here terminal codes are removed, and characters that hide or reorder
 * text become visible.
 */
import { oneLine } from '../../core/text/cut';

const ESC = '\\u001b';
const BEL = '\\u0007';

/** Terminal sequences: CSI, closed OSC (links, titles), and single escapes. An unclosed OSC stays: it must not swallow text. */
const terminalCodes = new RegExp(
  [
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `${ESC}\\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)`,
    `${ESC}[@-Z\\\\^_]`,
    `${ESC}[ -/]+[0-~]`
  ].join('|'),
  'g'
);

/** Controls but tab and newline; direction marks, overrides and isolates; invisible and tag characters. */
const deceptive = new RegExp(
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f' +
    '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]',
  'gu'
);

function reveal(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) {
    return String.fromCharCode(0x2400 + code);
  }
  return `\u2039U+${code.toString(16).toUpperCase().padStart(4, '0')}\u203a`;
}

/** `text` without terminal codes, with every control, direction and invisible character spelled out. */
export function visibleText(text: string): string {
  return text
    .replace(terminalCodes, '')
    .replace(/\r\n/g, '\n')
    .replace(deceptive, reveal);
}

/** Like {@link visibleText}; a carriage return overwrites its line, as a terminal would show a progress bar. */
export function terminalText(text: string): string {
  if (!text.includes('\r')) {
    return visibleText(text);
  }
  const lines = text
    .replace(/\r\n/g, '\n')
    .split('\n')
    .map(line => {
      const parts = line.split('\r').filter(part => part !== '');
      return parts.length > 0 ? parts[parts.length - 1] : '';
    });
  return visibleText(lines.join('\n'));
}

/** `text` on one line, cut beyond `limit` characters. */
export function visibleLine(text: string, limit = 300): string {
  const line = oneLine(visibleText(text.slice(0, limit * 4)));
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}
