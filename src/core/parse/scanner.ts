/** Reads a model's answer line by line. The result depends on the text alone, never on how it arrived. */
import { openStringAfter, type OpenString } from '../python';
import { announcesExample, fenceKind, type FenceKind } from './info';
import { isCodeBlock, isCodeLine, isSession } from './looks';

export type ScanOptions = {
  /** The kernel's language, lower case. */
  readonly language: string;
  /** Second reading: a closing fence counts inside a string that never ends. */
  readonly plainFences?: boolean;
};

/** One line of text outside fences and thinking. */
export type ProseLine = {
  readonly text: string;
  readonly section: Section;
};

export type Section = 'none' | 'thoughts' | 'response';

type Fence = {
  readonly mark: string;
  readonly indent: number;
  readonly kind: FenceKind;
  /** Introduced as an example, or without a label after a labelled block. */
  readonly aside: boolean;
  readonly opening: string;
  text: string;
  open: OpenString;
  /** A closing fence was passed over because a string was open. */
  doubtful: boolean;
};

const FENCE = /^(\s*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})\s*([^`]*)$/;
const ONE_LINE = /^\s*(`{3,})([\w+-]*)[ \t]+(\S.*?)\s*\1\s*$/;
const THINK = /^\s*<(think|thinking|reasoning)>(.*)$/i;
const THINK_END = /<\/(?:think|thinking|reasoning)>/i;
const TAG = /^\s*<(thoughts?|response|answer|code|solution)>(.*)$/i;
const TAG_END =
  /^(.*?)<\/(?:thoughts?|response|answer|code|solution)>\s*(.*)$/i;
const HEADING =
  /^\s*(?:#{1,6}\s*)?(?:\*\*|__)?(thoughts?|response|answer|code|solution)(?:\*\*|__)?\s*(:?)(?:\*\*|__)?\s*(.*)$/i;

export class AnswerScanner {
  constructor(private readonly _options: ScanOptions) {}

  /** Everything that is not the candidate, as far as it has come. */
  thoughts = '';
  /** The last closed code block that counts. */
  candidate: string | null = null;
  /** The last closed code block that was announced as an example. */
  example: string | null = null;
  /** Contents of fences labelled json, or markdown. */
  readonly jsonBlocks: string[] = [];
  readonly proseBlocks: string[] = [];
  readonly prose: ProseLine[] = [];
  /** Thinking, which no later reading takes for anything else. */
  thinking = '';
  fence: Fence | null = null;
  /** True once there was any fence: bare code is not looked for then. */
  fenced = false;

  /** The code block that is open now, if it counts; null else. */
  get streamingFence(): string | null {
    const fence = this.fence;
    return fence && !fence.aside && isCodeKind(fence) ? fence.text : null;
  }

  /** What shows as code while the answer streams. */
  get streaming(): string {
    return this.streamingFence ?? this.candidate ?? this._bare ?? '';
  }

  /** The code of a closed block that nothing has superseded yet. */
  get closed(): string | null {
    return this.streamingFence === null ? this.candidate : null;
  }

  /** Whether a line that has not ended yet would be shown as thoughts whatever follows. */
  showsAsThought(partial: string): boolean {
    if (this.fence || this._bare !== null) {
      return false;
    }
    const start = partial.trimStart();
    return (
      this._think ||
      (start.length > 24 &&
        !/^[`~<{#*_>+\d-]/.test(start) &&
        !HEADING.test(start) &&
        !isCodeLine(partial, this._options.language))
    );
  }

  feed(line: string): void {
    if (this._think) {
      this._thinkLine(line);
    } else if (this.fence) {
      this._fenceLine(this.fence, line);
    } else {
      this._proseLine(line);
    }
  }

  private _note(text: string): void {
    this.thoughts += text + '\n';
  }

  private _noteThinking(text: string): void {
    this._note(text);
    this.thinking += text + '\n';
  }

  private _thinkLine(line: string): void {
    const end = THINK_END.exec(line);
    if (!end) {
      this._noteThinking(line);
      return;
    }
    this._think = false;
    if (end.index > 0) {
      this._noteThinking(line.slice(0, end.index));
    }
    this._rest(line.slice(end.index + end[0].length));
  }

  private _rest(text: string): void {
    if (text.trim() !== '') {
      this.feed(text.trimStart());
    }
  }

  private _proseLine(line: string): void {
    const think = THINK.exec(line);
    if (think) {
      this._think = true;
      this._rest(think[2]);
      return;
    }
    const strayEnd = THINK_END.exec(line);
    if (strayEnd && /^\s*<|>\s*$/.test(line)) {
      this._allWasThinking(line.slice(0, strayEnd.index));
      this._rest(line.slice(strayEnd.index + strayEnd[0].length));
      return;
    }
    const oneLine = ONE_LINE.exec(line);
    if (oneLine) {
      this._open(line, '', oneLine[1], oneLine[2]);
      this._endFence({ ...this.fence!, text: oneLine[3] });
      return;
    }
    const fence = FENCE.exec(line);
    if (fence) {
      this._open(line, fence[1], fence[2], fence[3]);
      return;
    }
    if (this._section(line)) {
      return;
    }
    this._plainLine(line);
  }

  private _plainLine(line: string): void {
    this.prose.push({ text: line, section: this._in });
    if (line.trim() !== '') {
      this._lastProse = line;
      if (
        this._bare === null &&
        !this.fenced &&
        !this._sawProse &&
        isCodeLine(line, this._options.language)
      ) {
        this._bare = '';
      }
      this._sawProse = true;
    }
    if (this._bare !== null) {
      this._bare += line + '\n';
    } else {
      this._note(line);
    }
  }

  /** Thoughts / Response sections as headings, labels or tags; true when the line was one. */
  private _section(line: string): boolean {
    const tag = TAG.exec(line);
    if (tag) {
      this._enter(tag[1], tag[2]);
      return true;
    }
    const end = TAG_END.exec(line);
    if (end) {
      if (end[1].trim() !== '') {
        this._plainLine(end[1]);
      }
      this._in = 'none';
      this._rest(end[2]);
      return true;
    }
    const heading = HEADING.exec(line);
    if (!heading) {
      return false;
    }
    const [, name, colon, rest] = heading;
    const marked = /^\s*(?:#|\*\*|__)/.test(line);
    const strict = /^(?:thoughts?|response)$/i.test(name);
    if (
      (colon === ':' && (strict || rest === '' || marked)) ||
      (marked && rest === '')
    ) {
      this._enter(name, rest);
      return true;
    }
    return false;
  }

  private _enter(name: string, rest: string): void {
    this._in = /^thoughts?$/i.test(name) ? 'thoughts' : 'response';
    this._lastProse = '';
    if (this._in === 'response') {
      this._sawProse = false;
    }
    this._rest(rest);
  }

  private _open(
    line: string,
    prefix: string,
    mark: string,
    info: string
  ): void {
    const kind = fenceKind(info, this._options.language);
    this.fenced = true;
    if (this._bare !== null) {
      this._note(this._bare.trimEnd());
      this._bare = null;
    }
    const aside =
      announcesExample(this._lastProse) ||
      (kind === 'unlabelled' && this.candidate !== null);
    this.fence = {
      mark,
      indent: prefix.length,
      kind,
      aside,
      opening: line.trim(),
      text: '',
      open: null,
      doubtful: false
    };
  }

  private _fenceLine(fence: Fence, line: string): void {
    const code = isCodeKind(fence);
    const closing = /^(\s*)(`{3,}|~{3,})\s*(?:<.*)?$/.exec(line) ?? undefined;
    if (
      closing &&
      closing[2][0] === fence.mark[0] &&
      closing[2].length >= fence.mark.length &&
      closing[1].length <= fence.indent + 3
    ) {
      if (!fence.open || this._options.plainFences) {
        this._endFence(fence);
        return;
      }
      fence.doubtful = true;
    } else if (code && !fence.open) {
      const opening = FENCE.exec(line);
      if (
        opening &&
        opening[3] !== '' &&
        opening[2].length >= fence.mark.length &&
        opening[2][0] === fence.mark[0] &&
        opening[1].length <= fence.indent + 3
      ) {
        this._endFence(fence);
        this._open(line, opening[1], opening[2], opening[3]);
        return;
      }
    }
    const text = dedent(line, fence.indent);
    fence.text += text + '\n';
    if (code && this._options.language === 'python') {
      fence.open = openStringAfter(text, fence.open);
    }
  }

  private _endFence(fence: Fence): void {
    this.fence = null;
    this._lastProse = '';
    const { language } = this._options;
    const text = fence.text;
    const isCode =
      (fence.kind === 'candidate' && !isSession(text) && text.trim() !== '') ||
      (fence.kind === 'unlabelled' && isCodeBlock(text, language));
    const announced = fence.aside && fence.kind === 'candidate';
    if (isCode && !announced) {
      this.candidate = text;
      return;
    }
    if (isCode) {
      this.example = text;
    } else if (fence.kind === 'json') {
      this.jsonBlocks.push(text);
    } else if (fence.kind === 'prose') {
      this.proseBlocks.push(text);
    }
    this._note(`${fence.opening}\n${text}${fence.mark}`);
  }

  /** A closing think tag without an opening one: some servers strip that. */
  private _allWasThinking(before: string): void {
    if (this._bare !== null) {
      this._note(this._bare.trimEnd());
      this._bare = null;
    }
    if (this.candidate !== null) {
      this._note(this.candidate.trimEnd());
    }
    this._note(before);
    this.thinking = this.thoughts;
    this.candidate = null;
    this.example = null;
    this.jsonBlocks.length = 0;
    this.proseBlocks.length = 0;
    this.prose.length = 0;
    this.fenced = false;
    this._sawProse = false;
  }

  private _think = false;
  private _in: Section = 'none';
  private _bare: string | null = null;
  private _sawProse = false;
  private _lastProse = '';
}

function isCodeKind(fence: Fence): boolean {
  return fence.kind === 'candidate' || fence.kind === 'unlabelled';
}

/** Take away at most `columns` leading blanks. */
function dedent(line: string, columns: number): string {
  let i = 0;
  while (i < columns && (line[i] === ' ' || line[i] === '\t')) {
    i++;
  }
  return line.slice(i);
}
