/** Fence lines of Markdown, as models write them. */
import { languageOf } from '../languages/list';

/** A block that is open. */
export type Fence = {
  readonly mark: string;
  readonly indent: number;
  readonly kind: FenceKind;
  /** First word of its info string, lower case. */
  readonly label: string;
  /** Introduced as an example. */
  readonly announced: boolean;
  /** Not shown as code before it has closed: an example, or without a label after a block that counts. */
  readonly aside: boolean;
  /** The line that opened it. */
  readonly opening: string;
  text: string;
};

export type FenceLine = {
  readonly indent: number;
  readonly mark: string;
  readonly info: string;
};

const OPENING = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})\s*([^`]*)$/;
const CLOSING = /^(\s*)(`{3,}|~{3,})\s*(?:<.*)?$/;

/** A line that opens a block; indentation and list marker count as its indent. */
export function openingFence(line: string): FenceLine | null {
  const match = OPENING.exec(line);
  if (!match) {
    return null;
  }
  const [, indent = '', mark = '', info = ''] = match;
  return { indent: indent.length, mark, info };
}

/** True for a line that closes `fence`; a tag may follow on it. */
export function closesFence(line: string, fence: Fence): boolean {
  const [match, indent = '', mark = ''] = CLOSING.exec(line) ?? [];
  return match !== undefined && belongs({ indent: indent.length, mark }, fence);
}

function belongs(
  line: { readonly indent: number; readonly mark: string },
  fence: Fence
): boolean {
  return (
    line.mark[0] === fence.mark[0] &&
    line.mark.length >= fence.mark.length &&
    line.indent <= fence.indent + 3
  );
}

/** `line` without at most `columns` leading blanks. */
export function dedent(line: string, columns: number): string {
  let i = 0;
  while (i < columns && (line[i] === ' ' || line[i] === '\t')) {
    i++;
  }
  return line.slice(i);
}

/** `candidate` labelled with the kernel's language; `unlabelled` needs a look; `json` may hold an answer; `other` is left alone. */
export type FenceKind = 'candidate' | 'unlabelled' | 'json' | 'other';

/** Labels that say no more than "this is it". */
const NEUTRAL = [
  'code',
  'cell',
  'jupyter',
  'notebook',
  'solution',
  'tool_code'
];

/** The first word of an info string, lower case; empty where there is none. */
export function fenceLabel(info: string): string {
  return words(info)[0] ?? '';
}

function words(info: string): readonly string[] {
  return info
    .toLowerCase()
    .replace(/[{}]/g, ' ')
    .split(/[\s,;:]+/)
    .map(word => word.replace(/^\./, ''))
    .filter(word => word !== '');
}

/** @param info - what follows the opening ticks. @param language - the kernel's, lower case. */
export function fenceKind(info: string, language: string): FenceKind {
  const all = words(info);
  if (all.includes('example')) {
    return 'other';
  }
  const [label] = all;
  if (label === undefined || label.includes('=') || NEUTRAL.includes(label)) {
    return 'unlabelled';
  }
  if ((languageOf(language).fences ?? [language]).includes(label)) {
    return 'candidate';
  }
  return label === 'json' ? 'json' : 'other';
}

const EXAMPLE =
  /\b(?:example|sample)s?\s+(?:usages?|uses?|outputs?|inputs?|runs?|calls?|sessions?)\b|\b(?:usage|outputs?|prints)\W*$|\bexamples?\s*:\W*$|\b(?:for example|for instance)\W*$|\byou (?:can|could|may|might) (?:now )?(?:use|call|test|run|try|check|verify) (?:it|this|them|the (?:function|class|method|code|cell))\b|\bto (?:test|try|run|verify|check) (?:it|this)\b|\bhow to (?:use|run|call|test)\b/i;

/** True when the line of prose right before a fence announces an example and not the answer. */
export function announcesExample(line: string): boolean {
  return EXAMPLE.test(line);
}
