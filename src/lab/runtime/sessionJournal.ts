/** Keeps the events of a notebook's last session for this browser tab, so that a reload shows every attempt. */
import type { RefineEvent } from '../../core/events';

/** The part of `sessionStorage` that is used. */
export type JournalStorage = Pick<
  Storage,
  'getItem' | 'setItem' | 'removeItem'
>;

/** Milliseconds between writes while events stream. */
const WRITE_MS = 500;

/** Characters of printed text kept of one attempt. */
const OUTPUT_LIMIT = 20_000;

const keyOf = (path: string) => `jupyterlab-refine:session:${path}`;

/** Two events that fold to the same as one, or null. */
export function merge(
  earlier: RefineEvent,
  later: RefineEvent
): RefineEvent | null {
  if (
    earlier.type === 'candidate-delta' &&
    later.type === 'candidate-delta' &&
    earlier.attempt === later.attempt &&
    !later.reset &&
    !later.resetCode
  ) {
    return {
      ...earlier,
      at: later.at,
      thoughts: earlier.thoughts + later.thoughts,
      code: earlier.code + later.code
    };
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

/** True for a preview that a later event of the same attempt tells in full. */
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

/** The events without the exact prompts, the largest part that can be missed. */
function withoutPrompts(events: readonly RefineEvent[]): RefineEvent[] {
  return events.map(event =>
    event.type === 'attempt-start' ? { ...event, prompt: [] } : event
  );
}

const toText = (events: readonly RefineEvent[]) =>
  events.map(event => JSON.stringify(event)).join('\n');

/** The stored text of a notebook's last session, or null. */
export function readJournal(
  storage: JournalStorage,
  path: string
): string | null {
  return storage.getItem(keyOf(path));
}

export function forgetJournal(storage: JournalStorage, path: string): void {
  storage.removeItem(keyOf(path));
}

/** Writes one session; a full storage costs the prompts, then the journal, never the session. */
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
    if (event.type === 'attempt-end' || event.type === 'session-end') {
      this.flush();
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
    if (this.written !== null && this.written !== path) {
      forgetJournal(this.storage, this.written);
    }
    this.written = path;
    try {
      this.storage.setItem(keyOf(path), toText(this.events));
    } catch {
      this.writeLess(path);
    }
  }

  private writeLess(path: string): void {
    this.events = withoutPrompts(this.events);
    try {
      this.storage.setItem(keyOf(path), toText(this.events));
    } catch {
      forgetJournal(this.storage, path);
    }
  }

  private events: RefineEvent[];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private written: string | null = null;
}
