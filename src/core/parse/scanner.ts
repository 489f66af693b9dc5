/** Reads a model's answer line by line. The result depends on the text alone, never on how it arrived. */
import type { Objection } from '../domain/checks/dispute';
import { DISPUTE, readDispute } from './dispute';
import { bindsAll, chooseBlocks, type CodeBlock } from './choice';
import {
  announcesExample,
  closesFence,
  dedent,
  fenceKind,
  fenceLabel,
  openingFence,
  type Fence,
  type FenceLine
} from './fences';
import { isCodeBlock, isCodeLine, isSession } from './looks';

export type ScanOptions = {
  /** The kernel's language, lower case. */
  readonly language: string;
  /** Names that the cell is there to define. */
  readonly needs?: readonly string[];
  /** Blocks that object to a check are read. */
  readonly disputes?: boolean;
};

const THINK = /^\s*<(think|thinking|reasoning)>(.*)$/i;
const THINK_END = /<\/(?:think|thinking|reasoning)>/i;

export class AnswerScanner {
  constructor(private readonly _options: ScanOptions) {}

  /** Everything that is not the candidate, as far as it has come. */
  thoughts = '';
  /** The cell as the closed blocks have it, but for what is announced as an example. */
  candidate: string | null = null;
  /** All closed blocks of code. */
  readonly blocks: CodeBlock[] = [];
  /** Contents of fences labelled json. */
  readonly jsonBlocks: string[] = [];
  /** Lines outside of fences and thinking. */
  readonly prose: string[] = [];
  /** What the answer objects to; null: nothing. */
  dispute: Objection | null = null;
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
    return this.streamingFence === null && this._isWhole
      ? this.candidate
      : null;
  }

  /** The cell out of the closed blocks, and of one more that is open at the end. */
  choose(open?: CodeBlock): string | null {
    return chooseBlocks(
      open ? [...this.blocks, open] : this.blocks,
      this._options.language,
      this._needs
    );
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
        !isCodeLine(partial, this._options.language))
    );
  }

  /** Whether a block, closed or not, holds code to run. */
  holdsCode(fence: Fence): boolean {
    return fence.kind === 'candidate'
      ? !isSession(fence.text) && fence.text.trim() !== ''
      : fence.kind === 'unlabelled' &&
          isCodeBlock(fence.text, this._options.language);
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
      this._rest(think[2] ?? '');
      return;
    }
    const strayEnd = THINK_END.exec(line);
    if (strayEnd && /^\s*<|>\s*$/.test(line)) {
      this._allWasThinking(line.slice(0, strayEnd.index));
      this._rest(line.slice(strayEnd.index + strayEnd[0].length));
      return;
    }
    const opening = openingFence(line);
    if (opening) {
      this.fence = this._newFence(line, opening);
      return;
    }
    this.prose.push(line);
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

  private _newFence(line: string, opening: FenceLine): Fence {
    const kind = fenceKind(opening.info, this._options.language);
    const announced = announcesExample(this._lastProse);
    this.fenced = true;
    this._noteBare();
    return {
      mark: opening.mark,
      indent: opening.indent,
      kind,
      announced,
      aside: announced || (kind === 'unlabelled' && this.candidate !== null),
      label: fenceLabel(opening.info),
      opening: line.trim(),
      text: ''
    };
  }

  /** What looked like code was prose, since a fence or thinking follows. */
  private _noteBare(): void {
    if (this._bare !== null) {
      this._note(this._bare.trimEnd());
      this._bare = null;
    }
  }

  private _fenceLine(fence: Fence, line: string): void {
    if (closesFence(line, fence)) {
      this._endFence(fence);
    } else {
      fence.text += dedent(line, fence.indent) + '\n';
    }
  }

  private _endFence(fence: Fence): void {
    this.fence = null;
    this._lastProse = '';
    const text = fence.text;
    const dispute = this._options.disputes ? disputeIn(fence) : null;
    if (dispute) {
      this.dispute = dispute;
      return;
    }
    const isCode = this.holdsCode(fence);
    if (isCode) {
      this.blocks.push({ text, announced: fence.announced });
    }
    if (isCode && !fence.announced) {
      this.candidate = this.choose();
      const { language } = this._options;
      this._isWhole = bindsAll(this.candidate ?? '', language, this._needs);
      return;
    }
    if (fence.kind === 'json' && !isCode) {
      this.jsonBlocks.push(text);
    }
    this._note(`${fence.opening}\n${text}${fence.mark}`);
  }

  /** A closing think tag without an opening one: some servers strip that. */
  private _allWasThinking(before: string): void {
    this._noteBare();
    if (this.candidate !== null) {
      this._note(this.candidate.trimEnd());
    }
    this._note(before);
    this.thinking = this.thoughts;
    this.candidate = null;
    this.dispute = null;
    this.blocks.length = 0;
    this.jsonBlocks.length = 0;
    this.prose.length = 0;
    this.fenced = false;
    this._sawProse = false;
    this._lastProse = '';
  }

  private get _needs(): readonly string[] {
    return this._options.needs ?? [];
  }

  /** The candidate defines all that it is there to define. */
  private _isWhole = false;
  private _think = false;
  private _bare: string | null = null;
  private _sawProse = false;
  private _lastProse = '';
}

/** The objection that a block holds; null for one that is shown as an example. */
export function disputeIn({
  label,
  announced,
  text
}: Pick<Fence, 'label' | 'announced' | 'text'>): Objection | null {
  return label === DISPUTE && !announced ? readDispute(text) : null;
}

function isCodeKind(fence: Fence): boolean {
  return fence.kind === 'candidate' || fence.kind === 'unlabelled';
}
