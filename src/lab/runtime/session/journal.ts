/** Keeps the events of a notebook's last session for this browser tab, so that a reload shows every attempt. */
import type { ExecutionError } from '../../../core/domain/execution';
import type { RefineEvent } from '../../../core/events/events';
import { mergeDeltas } from '../../../core/events/merge';

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

/** Events after which a part of the journal is complete. */
const SETTLED: readonly RefineEvent['type'][] = [
  'attempt-end',
  'session-end',
  'fresh-kernel',
  'acceptance'
];

/** True for a preview that a later event of the same attempt reports in full. */
export function isSuperseded(preview: RefineEvent, by: RefineEvent): boolean {
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

/** Largest rich output that is kept of an attempt, characters. */
const DISPLAY_LIMIT = 20_000;

/** An event as it is kept: without plots, which are shown again by running the cell. */
function line(event: RefineEvent): string {
  return JSON.stringify(
    event.type === 'execution-end'
      ? {
          ...event,
          execution: {
            ...event.execution,
            displays: event.execution.displays.filter(
              ({ data }) => data.length <= DISPLAY_LIMIT
            )
          }
        }
      : event
  );
}

/** The stored text of a notebook's last session, or null. */
export function readJournal(
  storage: JournalStorage,
  path: string
): string | null {
  const parts: string[] = [];
  for (let n = 0; ; n++) {
    const part = storage.getItem(partOf(path, n));
    if (part === null) {
      return parts.length > 0 ? parts.join('\n') : null;
    }
    parts.push(part);
  }
}

export function forgetJournal(storage: JournalStorage, path: string): void {
  for (let n = 0; storage.getItem(partOf(path, n)) !== null; n++) {
    storage.removeItem(partOf(path, n));
  }
}

/**
 * Writes one session, a part for each attempt: what has ended is not written
 * again. A full storage costs the prompts, then the oldest outputs, then the journal, never the session.
 */
export class SessionJournal {
  /** @param path asked at each write: a notebook may be renamed meanwhile. */
  constructor(
    private readonly storage: JournalStorage,
    private readonly path: () => string,
    earlier: readonly RefineEvent[] = []
  ) {
    this.events = [...earlier];
  }

  append(event: RefineEvent): void {
    if (event.type === 'model-call') {
      // Nothing that is shown depends on it, and answers are long.
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
        this.closed.forEach((part, n) =>
          this.storage.setItem(partOf(path, n), part)
        );
      }
      if (this.events.length > 0) {
        this.storage.setItem(
          partOf(path, this.closed.length),
          this.events.map(line).join('\n')
        );
      }
    } catch {
      this.writeLess(path);
    }
  }

  /** What was just written is settled: the next event starts a part of its own. */
  private close(): void {
    if (this.events.length > 0) {
      this.closed.push(this.events.map(line).join('\n'));
      this.events = [];
    }
  }

  /** The prompts go first, then the outputs of the oldest attempts, and at last the journal. */
  private writeLess(path: string): void {
    const whole = this.closed.map(withoutPrompts);
    const open =
      this.events.length > 0
        ? [withoutPrompts(this.events.map(line).join('\n'))]
        : [];
    for (let cut = 0; ; cut = Math.max(1, cut * 2)) {
      this.closed = whole.map((part, n) =>
        n < cut ? withoutOutput(part) : part
      );
      forgetJournal(this.storage, path);
      try {
        [...this.closed, ...open].forEach((part, n) =>
          this.storage.setItem(partOf(path, n), part)
        );
        return;
      } catch {
        if (cut >= whole.length) {
          forgetJournal(this.storage, path);
          return;
        }
      }
    }
  }

  /** Parts of what has ended, as they are stored. */
  private closed: string[] = [];
  /** Of the part that is being written. */
  private events: RefineEvent[];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private written: string | null = null;
}

/** A part without the exact prompts, the largest that can be missed. */
function withoutPrompts(part: string): string {
  return changed(part, event =>
    event.type === 'attempt-start' ? { ...event, prompt: [] } : event
  );
}

/** Stands where output was. */
const REMOVED = '(removed: the storage of this browser tab is full)\n';

/** A part without what was printed, thought and traced; code, checks and verdicts stay. */
function withoutOutput(part: string): string {
  return changed(part, event => {
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
  });
}

function untraced({ name, message, candidateLine }: ExecutionError) {
  return {
    name,
    message,
    traceback: '',
    ...(candidateLine === undefined ? {} : { candidateLine })
  };
}

function changed(
  part: string,
  change: (event: RefineEvent) => RefineEvent
): string {
  return part
    .split('\n')
    .map(text => JSON.stringify(change(JSON.parse(text) as RefineEvent)))
    .join('\n');
}
