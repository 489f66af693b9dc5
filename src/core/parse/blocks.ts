/** A model's answer as thinking, prose and fenced blocks, as far as it has come. */
import type { Objection } from '../domain/outcome';
import { languageOf } from '../languages/list';
import { pythonStatements } from '../python/checks';
import { namesOfCell } from '../python/names';
import { cutLine, wellFormed } from '../text/cut';
import { splitThinking } from '../text/thinking';
import { joinThoughts, type ParseOptions } from './answer';
import { isCodeBlock, isSession } from './looks';

/** Label of the block in which a model objects to a check, instead of code; no language has that name. */
export const DISPUTE = 'dispute';

const REASON_LIMIT = 600;

const NUMBER =
  /^[\s>*_-]*(?:(?:check|assertion)s?)?[\s*_]*(?:number|no\.?)?[\s:=#*_]*(\d{1,4})\b[*_]*/i;

export type SplitOptions = Pick<
  ParseOptions,
  'language' | 'needs' | 'disputes'
>;

export type SplitAnswer = {
  readonly thinking: string;
  /** All that is no thinking, as it came. */
  readonly spoken: string;
  /** Everything that is not the candidate. */
  readonly thoughts: string;
  /** Lines outside of fences and thinking. */
  readonly prose: readonly string[];
  /** True once there was any fence: bare code is not looked for then. */
  readonly hasFence: boolean;
  /** Closed blocks that hold code. */
  readonly blocks: readonly string[];
  /** The cell as they have it; null where there are none. */
  readonly candidate: string | null;
  /** A block without an end that holds code. */
  readonly open: string | null;
  /** Its text, where it shows as code; null else. */
  readonly streaming: string | null;
  /** Contents of blocks labelled json, the last one first. */
  readonly jsonTexts: readonly string[];
  /** What the answer objects to; null: nothing. */
  readonly dispute: Objection | null;
};

/** `candidate` labelled with the kernel's language; `unlabelled` needs a look; `json` may hold an answer; `other` is left alone. */
type FenceKind = 'candidate' | 'unlabelled' | 'json' | 'other';

/** A block, or the prose between two. */
type Segment = {
  /** As they came, those of the fences included. */
  readonly lines: string[];
  readonly fence: Fence | null;
};

type Fence = {
  readonly mark: string;
  readonly indent: number;
  readonly kind: FenceKind;
  /** First word of its info string, lower case. */
  readonly label: string;
  closed: boolean;
};

const OPENING = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})\s*([^`]*)$/;
const CLOSING = /^(\s*)(`{3,}|~{3,})\s*(?:<.*)?$/;

export function splitAnswer(text: string, options: SplitOptions): SplitAnswer {
  const { language, needs = [], disputes } = options;
  const { thinking, spoken } = splitThinking(text.replace(/\r(?=\n|$)/g, ''));
  const segments = segmentsOf(spoken, language);
  const left = new Set<Segment>();
  const blocks: string[] = [];
  const jsonTexts: string[] = [];
  let dispute: Objection | null = null;
  let open: string | null = null;
  let streaming: string | null = null;
  for (const segment of segments) {
    const { fence, lines } = segment;
    if (!fence) {
      continue;
    }
    const { kind, label, closed } = fence;
    const text = textOf(lines, fence);
    const objection = disputes && label === DISPUTE ? readDispute(text) : null;
    dispute = objection ?? dispute;
    if (kind === 'json') {
      jsonTexts.unshift(text);
    }
    const isCode = holdsCode(kind, text, language);
    if (!closed) {
      const isFirst = kind === 'unlabelled' && blocks.length === 0;
      streaming = kind === 'candidate' || isFirst ? text : null;
      open = isCode ? text.replace(/`{3,}\s*$/, '') : null;
    } else if (isCode) {
      blocks.push(text);
    }
    if (!closed || objection || isCode) {
      left.add(segment);
    }
  }
  const rest = segments.filter(segment => !left.has(segment));
  return {
    thinking,
    spoken,
    thoughts: joinThoughts(thinking, rest.flatMap(one => one.lines).join('\n')),
    prose: segments.flatMap(({ fence, lines }) => (fence ? [] : lines)),
    hasFence: segments.some(({ fence }) => fence),
    blocks,
    candidate: chooseBlocks(blocks, language, needs),
    open,
    streaming,
    jsonTexts,
    dispute
  };
}

function segmentsOf(text: string, language: string): readonly Segment[] {
  const segments: Segment[] = [];
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const last = segments.at(-1);
    if (last?.fence?.closed === false) {
      last.lines.push(line);
      last.fence.closed = closes(line, last.fence);
      continue;
    }
    const fence = fenceOf(line, language);
    if (!fence && last && !last.fence) {
      last.lines.push(line);
    } else {
      segments.push({ lines: [line], fence });
    }
  }
  return segments;
}

/** The block that a line opens; indentation and list marker count as its indent. */
function fenceOf(line: string, language: string): Fence | null {
  const [found, indent = '', mark = '', info = ''] = OPENING.exec(line) ?? [];
  return found === undefined
    ? null
    : {
        mark,
        indent: indent.length,
        kind: fenceKind(info, language),
        label: words(info)[0] ?? '',
        closed: false
      };
}

/** Whether a block, closed or not, holds code to run. */
function holdsCode(kind: FenceKind, text: string, language: string): boolean {
  return kind === 'candidate'
    ? !isSession(text) && text.trim() !== ''
    : kind === 'unlabelled' && isCodeBlock(text, language);
}

function textOf(lines: readonly string[], fence: Fence): string {
  const indent = new RegExp(`^[ \\t]{0,${fence.indent}}`);
  return lines
    .slice(1, fence.closed ? -1 : undefined)
    .map(line => `${line.replace(indent, '')}\n`)
    .join('');
}

/** True for a line that closes the block; a tag may follow on it. */
function closes(line: string, fence: Fence): boolean {
  const [match, indent = '', mark = ''] = CLOSING.exec(line) ?? [];
  return (
    match !== undefined &&
    mark[0] === fence.mark[0] &&
    mark.length >= fence.mark.length &&
    indent.length <= fence.indent + 3
  );
}

/** Labels that say no more than "this is it". */
const NEUTRAL = [
  'code',
  'cell',
  'jupyter',
  'notebook',
  'solution',
  'tool_code'
];

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

function words(info: string): readonly string[] {
  return info
    .toLowerCase()
    .replace(/[{}]/g, ' ')
    .split(/[\s,;:]+/)
    .map(word => word.replace(/^\./, ''))
    .filter(word => word !== '');
}

/**
 * The code of a cell out of an answer's blocks; null without a block.
 *
 * @param needs - names that the cell is there to define: the last block that defines one
 * counts. Blocks that define what these read (a helper, imports) come along, in their order.
 * Without any, the last block counts that does more than to use what a block before it
 * defines; in other languages than Python the longest.
 */
export function chooseBlocks(
  blocks: readonly string[],
  language: string,
  needs: readonly string[]
): string | null {
  const last = blocks.at(-1);
  if (last === undefined || language !== 'python') {
    const [longest = null] = [...blocks].sort((a, b) => b.length - a.length);
    return longest;
  }
  const lastThatBinds = (name: string, some: readonly string[]) =>
    some.filter(text => namesOfCell(text).binds.has(name)).at(-1);
  const chosen = new Set(
    needs.flatMap(name => lastThatBinds(name, blocks) ?? [])
  );
  if (chosen.size === 0) {
    const works = blocks.filter(
      (block, i) => !isUsage(block, blocks.slice(0, i))
    );
    chosen.add(works.at(-1) ?? last);
  }
  const bound = new Set(
    [...chosen].flatMap(text => [...namesOfCell(text).binds])
  );
  // A helper that is added here is visited in its turn, for what it reads.
  for (const text of chosen) {
    for (const name of namesOfCell(text).reads) {
      const helper = lastThatBinds(
        name,
        blocks.filter(block => !definitions(block).some(one => bound.has(one)))
      );
      if (helper && !bound.has(name)) {
        chosen.add(helper);
        namesOfCell(helper).binds.forEach(one => bound.add(one));
      }
    }
  }
  return [...new Set(blocks)]
    .filter(block => chosen.has(block))
    .map(block => block.trimEnd())
    .join('\n\n\n');
}

/** Functions and classes at the top of a block. */
function definitions(text: string): readonly string[] {
  return pythonStatements(text).flatMap(({ defines }) => defines ?? []);
}

/** It defines no function or class, and reads one that a block before it defines. */
function isUsage(block: string, before: readonly string[]): boolean {
  const { reads } = namesOfCell(block);
  return (
    definitions(block).length === 0 &&
    before.flatMap(definitions).some(name => reads.has(name))
  );
}

/** The check and the reason; null where the block names no check, or gives no reason: it is prose then. */
function readDispute(text: string): Objection | null {
  const [found, digits] = NUMBER.exec(text) ?? [];
  if (found === undefined || digits === undefined) {
    return null;
  }
  const reason = cutLine(
    wellFormed(
      text
        .slice(found.length)
        .replace(/^[\s.,:;()–—-]+/, '')
        .replace(/^[*_]*reason[*_]*\s*[:=]\s*[*_]*/i, '')
    ),
    REASON_LIMIT
  );
  return /\p{L}{2}/u.test(reason) ? { number: Number(digits), reason } : null;
}
