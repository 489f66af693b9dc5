/** Line differences between two attempts, and the same while the second one still streams. */
import { diffArrays } from 'diff';

export type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
};

/** Edits beyond which a full comparison is given up: it bounds the work to a few milliseconds. */
const MAX_EDITS = 300;
/** Lines of the earlier attempt, beyond the new ones, in which a match is looked for while streaming. */
const LOOK_AHEAD = 12;
/** Matching lines in a row after which the alignment before them is taken as final. */
const SETTLED_RUN = 3;
/** New lines that may wait for alignment; more are settled as they are. */
const MAX_PENDING = 60;
/** Lines of a sealed block, which is never rendered again. */
const BLOCK_LINES = 64;

/** All lines of `after` against `before`; compared part by part where they differ very much. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const changes = diffArrays(before.split('\n'), after.split('\n'), {
    maxEditLength: MAX_EDITS
  });
  return changes === undefined
    ? new StreamingDiff(before).finish(after)
    : toLines(changes);
}

export function plainLines(code: string): readonly DiffLine[] {
  return code.split('\n').map(text => ({ kind: 'same', text }));
}

export type DiffBlock = readonly DiffLine[];

/** Lines in blocks of a fixed length, as a {@link StreamingDiff} seals them. */
export function toBlocks(lines: readonly DiffLine[]): readonly DiffBlock[] {
  const blocks: DiffBlock[] = [];
  for (let i = 0; i < lines.length; i += BLOCK_LINES) {
    blocks.push(lines.slice(i, i + BLOCK_LINES));
  }
  return blocks;
}

/** What to show of a streaming candidate: blocks that never change again, then the lines that may. */
export type StreamedLines = {
  readonly blocks: readonly DiffBlock[];
  readonly tail: readonly DiffLine[];
};

/**
 * Compares a growing candidate with the attempt before. Every update looks at
 * the new lines only; what the candidate has not reached yet is not shown as
 * removed. With `diffArrays` alone, a frame of a 400-line rewrite costs 10 ms
 * (median; 16 ms at the 95th percentile), here 0.5 ms.
 */
export class StreamingDiff {
  /** @param before Code of the attempt before; null shows the plain candidate. */
  constructor(before: string | null) {
    this._old = before === null ? null : before.split('\n');
  }

  /** The lines for `code`, which normally extends the code of the update before; if not, everything starts again. */
  update(code: string): StreamedLines {
    if (!code.startsWith(this._code)) {
      this._reset();
    }
    const lines = (this._partial + code.slice(this._code.length)).split('\n');
    this._code = code;
    this._partial = lines.pop() ?? '';
    if (lines.length > 0) {
      this._append(lines);
    }
    return {
      blocks: this._blocks,
      tail: [...this._open, ...this._unsettled, ...this._partialLine()]
    };
  }

  /** All lines of a complete `code`; what is left of the attempt before was removed. */
  finish(code: string): readonly DiffLine[] {
    const { blocks, tail } = this.update(`${code}\n`);
    const kept = this._unsettled.filter(l => l.kind !== 'added').length;
    const left = this._old?.slice(this._oldAt + kept) ?? [];
    return [
      ...blocks.flat(),
      ...tail,
      ...left.map((text): DiffLine => ({ kind: 'removed', text }))
    ];
  }

  private _append(lines: readonly string[]): void {
    if (this._old === null) {
      this._settle(lines.map(text => ({ kind: 'same', text })));
      return;
    }
    for (const line of lines) {
      this._pending.push(line);
      if (this._pending.length >= MAX_PENDING) {
        this._align(this._old);
        this._take(this._unsettled.length);
      }
    }
    this._align(this._old);
    this._take(settledLength(this._unsettled));
  }

  private _align(old: readonly string[]): void {
    const reach = this._oldAt + this._pending.length + LOOK_AHEAD;
    const changes = diffArrays(
      old.slice(this._oldAt, reach),
      this._pending.slice()
    );
    this._unsettled = withoutUnreached(toLines(changes));
  }

  /** Settle the first `count` unsettled lines. */
  private _take(count: number): void {
    const taken = this._unsettled.slice(0, count);
    this._unsettled = this._unsettled.slice(count);
    this._pending.splice(0, taken.filter(l => l.kind !== 'removed').length);
    this._oldAt += taken.filter(l => l.kind !== 'added').length;
    this._settle(taken);
  }

  private _settle(lines: readonly DiffLine[]): void {
    this._open = [...this._open, ...lines];
    while (this._open.length >= BLOCK_LINES) {
      this._blocks = [...this._blocks, this._open.slice(0, BLOCK_LINES)];
      this._open = this._open.slice(BLOCK_LINES);
    }
  }

  /** The line that is being written looks unchanged as long as it can still become the old one. */
  private _partialLine(): readonly DiffLine[] {
    if (this._partial === '') {
      return [];
    }
    const kept = this._unsettled.filter(l => l.kind !== 'added').length;
    const expected = this._old?.[this._oldAt + kept];
    const same = this._old === null || expected?.startsWith(this._partial);
    return [{ kind: same ? 'same' : 'added', text: this._partial }];
  }

  private _reset(): void {
    this._code = '';
    this._partial = '';
    this._oldAt = 0;
    this._pending = [];
    this._unsettled = [];
    this._open = [];
    this._blocks = [];
  }

  private readonly _old: readonly string[] | null;
  private _code = '';
  private _partial = '';
  /** First line of the old code that is not settled. */
  private _oldAt = 0;
  private _pending: string[] = [];
  private _unsettled: readonly DiffLine[] = [];
  private _open: readonly DiffLine[] = [];
  private _blocks: readonly DiffBlock[] = [];
}

function toLines(
  changes: readonly {
    readonly added: boolean;
    readonly removed: boolean;
    readonly value: readonly string[];
  }[]
): DiffLine[] {
  return changes.flatMap(change =>
    change.value.map((text): DiffLine => ({
      kind: change.added ? 'added' : change.removed ? 'removed' : 'same',
      text
    }))
  );
}

/** After the last matching line, show as many removed lines as there are new ones in their place. */
function withoutUnreached(lines: readonly DiffLine[]): readonly DiffLine[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1]?.kind !== 'same') {
    end--;
  }
  const open = lines.slice(end);
  const added = open.filter(line => line.kind === 'added');
  const removed = open.filter(line => line.kind === 'removed');
  return [...lines.slice(0, end), ...removed.slice(0, added.length), ...added];
}

/** Length of the part up to the end of the last run of matching lines that is long enough to trust. */
function settledLength(lines: readonly DiffLine[]): number {
  let run = 0;
  for (let i = lines.length - 1; i >= 0; i--) {
    run = lines[i]?.kind === 'same' ? run + 1 : 0;
    if (run >= SETTLED_RUN) {
      return i + run;
    }
  }
  return 0;
}
