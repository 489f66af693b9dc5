/** What the info string of a fence says about its content. */
import { languageOf } from '../languages/list';

/** `candidate` labelled with the kernel's language; `unlabelled` needs a look; `json` / `prose` may hold an answer; `other` is left alone. */
export type FenceKind = 'candidate' | 'unlabelled' | 'json' | 'prose' | 'other';

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
  if (label === 'json') {
    return 'json';
  }
  return label === 'markdown' || label === 'md' ? 'prose' : 'other';
}

const EXAMPLE =
  /\b(?:example|sample)s?\s+(?:usages?|uses?|outputs?|inputs?|runs?|calls?|sessions?)\b|\b(?:usage|outputs?|prints)\W*$|\bexamples?\s*:\W*$|\b(?:for example|for instance)\W*$|\byou (?:can|could|may|might) (?:now )?(?:use|call|test|run|try|check|verify) (?:it|this|them|the (?:function|class|method|code|cell))\b|\bto (?:test|try|run|verify|check) (?:it|this)\b|\bhow to (?:use|run|call|test)\b/i;

/** True when the line of prose right before a fence announces an example and not the answer. */
export function announcesExample(line: string): boolean {
  return EXAMPLE.test(line);
}
