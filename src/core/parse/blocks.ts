/** A model's answer as thinking, prose and fenced blocks, as far as it has come. */
import type { Objection } from '../domain/outcome';
import { languageOf } from '../languages/list';
import { DISPUTE, readDispute } from './dispute';
import { isCodeBlock, isCodeLine, isSession } from './looks';
import { namesOfCell } from '../python/names';
import { parsePython } from '../python/syntax';
import { recent } from '../text/recent';

export type SplitOptions = {
  /** The kernel's language, lower case. */
  readonly language: string;
  /** Names that the cell is there to define. */
  readonly needs?: readonly string[];
  /** Blocks that object to a check are read. */
  readonly disputes?: boolean;
};

/** `candidate` labelled with the kernel's language; `unlabelled` needs a look; `json` may hold an answer; `other` is left alone. */
type FenceKind = 'candidate' | 'unlabelled' | 'json' | 'other';

type Segment = {
  /** As they came, those of the fences included. */
  readonly lines: string[];
  readonly type: 'thinking' | 'prose' | 'block';
  /** Of a block. */
  readonly fence?: Fence;
};

type Fence = {
  readonly mark: string;
  readonly indent: number;
  readonly kind: FenceKind;
  /** First word of its info string, lower case. */
  readonly label: string;
  /** Introduced as an example. */
  readonly announced: boolean;
  closed: boolean;
};

const THINK = /^\s*<(?:think|thinking|reasoning)>(.*)$/i;
const THINK_END = /<\/(?:think|thinking|reasoning)>/i;
const OPENING = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})\s*([^`]*)$/;
const CLOSING = /^(\s*)(`{3,}|~{3,})\s*(?:<.*)?$/;
const EXAMPLE =
  /\b(?:example|sample)s?\s+(?:usages?|uses?|outputs?|inputs?|runs?|calls?|sessions?)\b|\b(?:usage|outputs?|prints)\W*$|\bexamples?\s*:\W*$|\b(?:for example|for instance)\W*$|\byou (?:can|could|may|might) (?:now )?(?:use|call|test|run|try|check|verify) (?:it|this|them|the (?:function|class|method|code|cell))\b|\bto (?:test|try|run|verify|check) (?:it|this)\b|\bhow to (?:use|run|call|test)\b/i;

export class SplitAnswer {
  constructor(
    text: string,
    private readonly _options: SplitOptions
  ) {
    for (const line of text.replace(/\n$/, '').split('\n')) {
      this._feed(line.replace(/\r$/, ''));
    }
    const blocks = this._segments.flatMap(segment =>
      segment.fence ? { ...segment, fence: segment.fence } : []
    );
    this.hasFence = blocks.length > 0;
    for (const block of blocks) {
      const { fence } = block;
      const text = textOf(block);
      const dispute =
        _options.disputes && fence.label === DISPUTE && !fence.announced
          ? readDispute(text)
          : null;
      this.dispute = dispute ?? this.dispute;
      if (fence.kind === 'json') {
        this.jsonTexts.unshift(text);
      }
      if (!fence.closed) {
        const aside =
          fence.announced ||
          (fence.kind === 'unlabelled' && this.candidate !== null);
        const isCode = ['candidate', 'unlabelled'].includes(fence.kind);
        this.streaming = isCode && !aside ? text : null;
        this.open = this._holdsCode(fence, text)
          ? { text: text.replace(/`{3,}\s*$/, ''), announced: aside }
          : null;
        this._left.add(block.lines);
      } else if (dispute) {
        this._left.add(block.lines);
      } else if (this._holdsCode(fence, text)) {
        this._blocks.push({ text, announced: fence.announced });
        if (!fence.announced) {
          this._left.add(block.lines);
          this.candidate = this.choose();
        }
      }
    }
  }

  /** The cell as the closed blocks have it, but for what is announced as an example. */
  readonly candidate: string | null = null;
  /** A block without an end that holds code; it may be an example. */
  readonly open: CodeBlock | null = null;
  /** Its text, where it shows as code; null else. */
  readonly streaming: string | null = null;
  /** Contents of blocks labelled json, the last one first. */
  readonly jsonTexts: string[] = [];
  /** What the answer objects to; null: nothing. */
  readonly dispute: Objection | null = null;
  /** True once there was any fence: bare code is not looked for then. */
  readonly hasFence: boolean;

  /** Everything that is not the candidate. */
  get thoughts(): string {
    return this._textOf(({ lines }) => !this._left.has(lines));
  }

  /** Thinking, which no reading takes for anything else. */
  get thinking(): string {
    return this._textOf(({ type }) => type === 'thinking');
  }

  /** All that is no thinking, as it came. */
  get spoken(): string {
    return this._textOf(({ type }) => type !== 'thinking');
  }

  /** Lines outside of fences and thinking. */
  get prose(): readonly string[] {
    return this._segments.flatMap(({ type, lines }) =>
      type === 'prose' ? lines : []
    );
  }

  /** True when the candidate defines all that it is there to define, and no further block is open. */
  get isWhole(): boolean {
    const { language, needs = [] } = this._options;
    return (
      this.streaming === null &&
      this.candidate !== null &&
      bindsAll(this.candidate, language, needs)
    );
  }

  /** The cell out of the closed blocks, and of one more. */
  choose(open?: CodeBlock): string | null {
    const { language, needs = [] } = this._options;
    const blocks = open ? [...this._blocks, open] : this._blocks;
    return chooseBlocks(blocks, language, needs);
  }

  /** Whether a line that has not ended yet would be a thought whatever follows. */
  showsAsThought(partial: string): boolean {
    const start = partial.trimStart();
    return (
      this._thinks ||
      (!this._isOpen &&
        start.length > 24 &&
        !/^[`~<{#*_>+\d-]/.test(start) &&
        !isCodeLine(partial, this._options.language))
    );
  }

  private _feed(line: string): void {
    const last = this._segments.at(-1);
    const end = THINK_END.exec(line);
    if (this._thinks) {
      this._thinks = end === null;
      if (end?.index !== 0) {
        this._add('thinking', line.slice(0, end?.index));
      }
    } else if (last?.fence && this._isOpen) {
      last.lines.push(line);
      last.fence.closed = closes(line, last.fence);
      return;
    } else {
      const [start, thought = ''] = THINK.exec(line) ?? [];
      if (start !== undefined) {
        this._thinks = true;
        this._rest(thought);
        return;
      }
      const fence = end ? null : this._fenceOf(line);
      if (fence) {
        this._segments.push({ type: 'block', lines: [line], fence });
        return;
      }
      if (!end) {
        this._add('prose', line);
        return;
      }
      // Some servers strip the tag that opens it.
      const lines = this._segments.splice(0).flatMap(one => one.lines);
      lines.push(line.slice(0, end.index));
      this._segments.push({ type: 'thinking', lines });
    }
    if (end) {
      this._rest(line.slice(end.index + end[0].length));
    }
  }

  private _rest(text: string): void {
    if (text.trim() !== '') {
      this._feed(text.trimStart());
    }
  }

  private _add(type: 'thinking' | 'prose', line: string): void {
    const last = this._segments.at(-1);
    if (last?.type === type) {
      last.lines.push(line);
    } else {
      this._segments.push({ type, lines: [line] });
    }
  }

  /** The block that a line opens; indentation and list marker count as its indent. */
  private _fenceOf(line: string): Fence | null {
    const [found, indent = '', mark = '', info = ''] = OPENING.exec(line) ?? [];
    const before = this._segments.at(-1);
    const lead =
      before?.type === 'prose'
        ? before.lines.filter(one => one.trim() !== '').at(-1)
        : undefined;
    return found === undefined
      ? null
      : {
          mark,
          indent: indent.length,
          kind: fenceKind(info, this._options.language),
          label: words(info)[0] ?? '',
          announced: EXAMPLE.test(lead ?? ''),
          closed: false
        };
  }

  /** Whether a block, closed or not, holds code to run. */
  private _holdsCode({ kind }: Fence, text: string): boolean {
    return kind === 'candidate'
      ? !isSession(text) && text.trim() !== ''
      : kind === 'unlabelled' && isCodeBlock(text, this._options.language);
  }

  private get _isOpen(): boolean {
    return this._segments.at(-1)?.fence?.closed === false;
  }

  private _textOf(holds: (segment: Segment) => boolean): string {
    return this._segments
      .filter(holds)
      .flatMap(({ lines }) => lines)
      .join('\n');
  }

  private readonly _segments: Segment[] = [];
  private readonly _blocks: CodeBlock[] = [];
  /** Lines of blocks that are no thoughts. */
  private readonly _left = new Set<readonly string[]>();
  private _thinks = false;
}

function textOf({ lines, fence }: Required<Segment>): string {
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

type CodeBlock = {
  readonly text: string;
  /** Introduced as an example. */
  readonly announced: boolean;
};

/**
 * The code of a cell out of an answer's blocks; null without a block.
 *
 * @param needs - names that the cell is there to define: the last block that defines one
 * counts. Blocks that define what these read (a helper, imports) come along, in their order.
 * Without any, the last block counts that no sentence announces as an example and that does
 * more than to use what a block before it defines.
 */
function chooseBlocks(
  blocks: readonly CodeBlock[],
  language: string,
  needs: readonly string[]
): string | null {
  const last = blocks.filter(block => !block.announced).at(-1) ?? blocks.at(-1);
  if (!last || language !== 'python') {
    return last?.text ?? null;
  }
  const known = blocks.map(block => ({
    ...block,
    ...namesOf(block.text)
  }));
  const chosen = new Set<(typeof known)[number]>();
  for (const name of needs) {
    const found =
      known.filter(b => !b.announced && b.binds.has(name)).at(-1) ??
      known.filter(b => b.binds.has(name)).at(-1);
    if (found) {
      chosen.add(found);
    }
  }
  if (chosen.size === 0) {
    const main = known
      .filter(
        (block, index) =>
          !block.announced && !isUsage(block, known.slice(0, index))
      )
      .at(-1);
    if (!main) {
      return last.text;
    }
    chosen.add(main);
  }
  const bound = new Set([...chosen].flatMap(block => [...block.binds]));
  // A helper that is added here is visited in its turn, for what it reads.
  for (const { reads } of chosen) {
    for (const name of reads) {
      const helper = known
        .filter(
          block =>
            !block.announced &&
            block.binds.has(name) &&
            ![...block.defines].some(defined => bound.has(defined))
        )
        .at(-1);
      if (helper && !bound.has(name)) {
        chosen.add(helper);
        helper.binds.forEach(one => bound.add(one));
      }
    }
  }
  return known
    .filter(block => chosen.has(block))
    .map(block => block.text.trimEnd())
    .join('\n\n\n');
}

/** Whether `code` binds all of the names; asked of Python alone. */
function bindsAll(
  code: string,
  language: string,
  names: readonly string[]
): boolean {
  if (names.length === 0 || language !== 'python') {
    return true;
  }
  const { binds } = namesOfCell(code);
  return names.every(name => binds.has(name));
}

const namesOf = recent((text): Names => {
  const parsed = parsePython(text);
  const { reads, binds } = namesOfCell(text);
  return { reads, binds, defines: definitions(parsed.root, parsed.text) };
});

type Names = {
  readonly reads: ReadonlySet<string>;
  readonly binds: ReadonlySet<string>;
  readonly defines: ReadonlySet<string>;
};

/** It defines no function or class, and reads one that a block before it defines. */
function isUsage(block: Names, before: readonly Names[]): boolean {
  return (
    block.defines.size === 0 &&
    before.some(({ defines }) =>
      [...defines].some(name => block.reads.has(name))
    )
  );
}

/** Functions and classes at the top of a module. */
function definitions(
  root: ReturnType<typeof parsePython>['root'],
  text: string
): ReadonlySet<string> {
  const found = new Set<string>();
  for (let node = root.firstChild; node; node = node.nextSibling) {
    const inner = node.name === 'DecoratedStatement' ? node.lastChild : node;
    const name = inner?.getChild('VariableName');
    if (inner && name && /^(?:Function|Class)Definition$/.test(inner.name)) {
      found.add(text.slice(name.from, name.to));
    }
  }
  return found;
}
