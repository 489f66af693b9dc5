/** Keeps the events of a notebook's last session for this browser tab, so that a reload shows every attempt. */
import type { ExecutionError } from '../../../core/domain/execution';
import { withDisplays } from '../../../core/events/bounded';
import type { RefineEvent } from '../../../core/events/events';
import { mergeDeltas } from '../../../core/events/merge';
import { TextTable } from './textTable';

/** The part of `sessionStorage` that is used. */
export type JournalStorage = Pick<
  Storage,
  'getItem' | 'setItem' | 'removeItem'
>;

/** Milliseconds between writes while events stream. */
const WRITE_MS = 500;

/** Characters of printed text kept of one attempt. */
const OUTPUT_LIMIT = 20_000;

/** Key of a part of a notebook's journal, from 0. */
const partOf = (path: string, n: number) =>
  `jupyterlab-refine:session:${path}${n === 0 ? '' : `#${n}`}`;

/** Two events that fold to the same as one, or null. */
function merge(earlier: RefineEvent, later: RefineEvent): RefineEvent | null {
  if (
    earlier.type === 'candidate-delta' &&
    later.type === 'candidate-delta' &&
    earlier.attempt === later.attempt
  ) {
    return mergeDeltas(earlier, later);
  }
  if (
    earlier.type === 'execution-output' &&
    later.type === 'execution-output' &&
    earlier.attempt === later.attempt &&
    earlier.stream === later.stream
  ) {
    return {
      ...earlier,
      at: later.at,
      text: (earlier.text + later.text).slice(-OUTPUT_LIMIT)
    };
  }
  return null;
}

/** The events of one part. */
type Part = readonly RefineEvent[];

/** Events after which a part of the journal is complete. */
const SETTLED: readonly RefineEvent['type'][] = [
  'attempt-end',
  'session-end',
  'fresh-kernel',
  'explanation',
  'acceptance'
];

/** True for a preview that a later event of the same attempt reports in full. */
function isSuperseded(preview: RefineEvent, by: RefineEvent): boolean {
  if (!('attempt' in preview) || !('attempt' in by)) {
    return false;
  }
  return (
    preview.attempt === by.attempt &&
    ((by.type === 'candidate-end' && preview.type === 'candidate-delta') ||
      (by.type === 'execution-end' &&
        (preview.type === 'assertion-end' ||
          preview.type === 'execution-output')))
  );
}

/** Rich outputs that are kept of an attempt, characters; larger plots are shown again by running the cell. */
const DISPLAY_LIMIT = 20_000;

/** An event as it is kept. */
function reduced(event: RefineEvent): RefineEvent {
  return withDisplays(event, DISPLAY_LIMIT);
}

function stringify(events: readonly RefineEvent[], texts: TextTable): string {
  return events.map(event => texts.stringify(event)).join('\n');
}

/** True when a session of the notebook is stored. */
export function hasJournal(storage: JournalStorage, path: string): boolean {
  return storage.getItem(partOf(path, 0)) !== null;
}

/** The stored text of a notebook's last session, or null. */
export function readJournal(
  storage: JournalStorage,
  path: string
): string | null {
  const texts = new TextTable();
  const parts: string[] = [];
  for (let n = 0; ; n++) {
    const part = storage.getItem(partOf(path, n));
    if (part === null) {
      return parts.length > 0 ? parts.join('\n') : null;
    }
    parts.push(
      part
        .split('\n')
        .map(line => expanded(line, texts))
        .join('\n')
    );
  }
}

/** A line with its texts; one that cannot be read as it is, for its reader to refuse. */
function expanded(line: string, texts: TextTable): string {
  try {
    return JSON.stringify(texts.parse(line));
  } catch {
    return line;
  }
}

export function forgetJournal(storage: JournalStorage, path: string): void {
  for (let n = 0; storage.getItem(partOf(path, n)) !== null; n++) {
    storage.removeItem(partOf(path, n));
  }
}

/**
 * Writes one session, a part for each attempt: what has ended is not written
 * again, and a long text that an earlier part has is a reference to it. A full
 * storage costs the prompts and answers, then the oldest outputs, then the
 * journal, never the session.
 */
export class SessionJournal {
  /** @param path asked at each write: a notebook may be renamed meanwhile. */
  constructor(
    private readonly storage: JournalStorage,
    private readonly path: () => string,
    earlier: readonly RefineEvent[] = []
  ) {
    for (const event of earlier) {
      this.events.push(event);
      if (SETTLED.includes(event.type)) {
        this.close();
      }
    }
  }

  append(event: RefineEvent): void {
    if (event.type === 'model-call' && event.purpose !== 'candidate') {
      // Nothing that is shown depends on it, and its prompt is long.
      return;
    }
    if (event.type === 'candidate-end' || event.type === 'execution-end') {
      this.events = this.events.filter(e => !isSuperseded(e, event));
    }
    const last = this.events[this.events.length - 1];
    const merged = last ? merge(last, event) : null;
    if (merged) {
      this.events[this.events.length - 1] = merged;
    } else {
      this.events.push(event);
    }
    if (SETTLED.includes(event.type)) {
      this.flush();
      this.close();
    } else {
      this.timer ??= setTimeout(() => this.flush(), WRITE_MS);
    }
  }

  /** All events so far, as they are kept. */
  get kept(): readonly RefineEvent[] {
    return [...this.closed.flat(), ...this.events];
  }

  /** Write now; also called when the page goes away. */
  flush(): void {
    if (this.timer !== null) {
      clearTimeout(this.timer);
      this.timer = null;
    }
    const path = this.path();
    try {
      if (this.written !== path) {
        forgetJournal(this.storage, path);
        if (this.written !== null) {
          forgetJournal(this.storage, this.written);
        }
        this.written = path;
        this.write(path, this.closed);
      }
      if (this.events.length > 0) {
        this.storage.setItem(
          partOf(path, this.closed.length),
          stringify(this.events.map(reduced), new TextTable(this.texts))
        );
      }
    } catch {
      this.writeLess(path);
    }
  }

  /** What was just written is settled: the next event starts a part of its own. */
  private close(): void {
    if (this.events.length > 0) {
      const part = this.events.map(reduced);
      this.closed.push(part);
      stringify(part, this.texts);
      this.events = [];
    }
  }

  /** Write these parts, the first ones of the journal; later ones refer to their texts. */
  private write(path: string, parts: readonly Part[]): void {
    const texts = new TextTable();
    parts.forEach((part, n) =>
      this.storage.setItem(partOf(path, n), stringify(part, texts))
    );
  }

  /** Prompts and answers go first, then the outputs of the oldest attempts, and at last the journal. */
  private writeLess(path: string): void {
    this.closed = this.closed.map(part => part.map(withoutPrompt));
    // Also in memory, so that later events refer only to texts that are stored.
    this.events = this.events.map(withoutPrompt);
    const open = this.events.map(reduced);
    for (;;) {
      forgetJournal(this.storage, path);
      this.texts = new TextTable();
      this.closed.forEach(part => stringify(part, this.texts));
      try {
        this.write(path, [...this.closed, ...(open.length > 0 ? [open] : [])]);
        return;
      } catch {
        const left = this.closed.length - this.cut;
        if (left === 0) {
          forgetJournal(this.storage, path);
          // A part is no use without the parts before it.
          this.written = null;
          return;
        }
        // Some at once, so that the next attempts have room, too.
        this.cut += Math.ceil(left / 8);
        this.closed = this.closed.map((part, n) =>
          n < this.cut ? part.map(withoutOutput) : part
        );
      }
    }
  }

  /** Of what has ended, as it is stored. */
  private closed: Part[] = [];
  /** How many of these have lost their output. */
  private cut = 0;
  /** The long texts of these. */
  private texts = new TextTable();
  /** Of the part that is being written. */
  private events: RefineEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private written: string | null = null;
}

/** An event without the exact prompt and answer, the largest that can be missed. */
function withoutPrompt(event: RefineEvent): RefineEvent {
  return event.type === 'attempt-start'
    ? { ...event, prompt: [] }
    : event.type === 'model-call'
      ? { ...event, answer: '', reasoning: '' }
      : event;
}

/** Stands where output was. */
const REMOVED = '(removed: the storage of this browser tab is full)\n';

/** An event without what was printed, thought and traced; code, checks and verdicts stay. */
function withoutOutput(event: RefineEvent): RefineEvent {
  if (event.type === 'candidate-end') {
    return { ...event, thoughts: '' };
  }
  if (event.type === 'feedback-end') {
    return { ...event, text: '' };
  }
  if (event.type !== 'execution-end') {
    return event;
  }
  const { execution } = event;
  const printed = execution.stdout + execution.stderr;
  return {
    ...event,
    execution: {
      ...execution,
      stdout: printed.length > REMOVED.length ? REMOVED : printed,
      stderr: '',
      displays: [],
      ...(execution.error ? { error: untraced(execution.error) } : {}),
      assertions: execution.assertions.map(result =>
        result.error ? { ...result, error: untraced(result.error) } : result
      )
    }
  };
}

function untraced({ name, message, candidateLine }: ExecutionError) {
  return {
    name,
    message,
    traceback: '',
    ...(candidateLine === undefined ? {} : { candidateLine })
  };
}
