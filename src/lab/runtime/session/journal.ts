/** Keeps the events of a notebook's last session for this browser tab, so that a reload shows every attempt. */
import { withDisplays } from '../../../core/events/bounded';
import type { RefineEvent } from '../../../core/events/events';
import { stringifyEvent } from '../../../core/events/journal';
import { mergeDeltas } from '../../../core/session/channel';

/** The part of `sessionStorage` that is used. */
export type JournalStorage = Pick<
  Storage,
  'getItem' | 'setItem' | 'removeItem'
>;

/** Milliseconds between writes while events stream. */
const WRITE_MS = 500;

/** Characters of printed text kept of one attempt. */
const OUTPUT_LIMIT = 20_000;

/** Rich outputs that are kept of an attempt, characters; larger plots are shown again by running the cell. */
const DISPLAY_LIMIT = 20_000;

/** Events that are written at once: what comes next may be a reload. */
const SETTLED: readonly RefineEvent['type'][] = [
  'attempt-end',
  'session-end',
  'fresh-kernel',
  'explanation',
  'acceptance'
];

const keyOf = (path: string) => `jupyterlab-refine:session:${path}`;

/** True when a session of the notebook is stored. */
export function hasJournal(storage: JournalStorage, path: string): boolean {
  return storage.getItem(keyOf(path)) !== null;
}

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

/** Writes one session; a full storage costs the prompts and outputs, then the journal, never the session. */
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
    if (event.type === 'model-call' && event.purpose !== 'candidate') {
      // Nothing that is shown depends on it, and its prompt is long.
      return;
    }
    if (event.type === 'candidate-end' || event.type === 'execution-end') {
      this.events = this.events.filter(e => !isSuperseded(e, event));
    }
    const last = this.events.at(-1);
    const merged = last ? merge(last, event) : null;
    if (merged) {
      this.events[this.events.length - 1] = merged;
    } else {
      this.events.push(withDisplays(event, DISPLAY_LIMIT));
    }
    if (SETTLED.includes(event.type)) {
      this.flush();
    } else {
      this.timer ??= setTimeout(() => this.flush(), WRITE_MS);
    }
  }

  /** All events so far, as they are kept. */
  get kept(): readonly RefineEvent[] {
    return this.events;
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
    if (!this.write(path)) {
      this.events = this.events.map(shortened);
      if (!this.write(path)) {
        forgetJournal(this.storage, path);
      }
    }
  }

  private write(path: string): boolean {
    const text = this.events.map(event => {
      const line = this.lines.get(event) ?? stringifyEvent(event);
      this.lines.set(event, line);
      return line;
    });
    try {
      this.storage.setItem(keyOf(path), text.join(''));
      return true;
    } catch {
      return false;
    }
  }

  private events: RefineEvent[];
  /** What has been written before is not made again. */
  private readonly lines = new WeakMap<RefineEvent, string>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private written: string | null = null;
}

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

/** True for a preview that a later event of the same attempt reports in full. */
function isSuperseded(preview: RefineEvent, by: RefineEvent): boolean {
  return (
    'attempt' in preview &&
    'attempt' in by &&
    preview.attempt === by.attempt &&
    ((by.type === 'candidate-end' && preview.type === 'candidate-delta') ||
      (by.type === 'execution-end' &&
        (preview.type === 'assertion-end' ||
          preview.type === 'execution-output')))
  );
}

/** Stands where output was. */
const REMOVED = '(removed: the storage of this browser tab is full)\n';

/** An event without the exact prompt and answer, and what was printed; code, checks and verdicts stay. */
function shortened(event: RefineEvent): RefineEvent {
  if (event.type === 'attempt-start') {
    return { ...event, prompt: [] };
  }
  if (event.type === 'model-call') {
    return { ...event, answer: '', reasoning: '' };
  }
  if (event.type !== 'execution-end') {
    return event;
  }
  const { execution } = event;
  const { stdout, stderr } = execution;
  const printed =
    stdout.length + stderr.length > REMOVED.length
      ? { stdout: REMOVED, stderr: '' }
      : { stdout, stderr };
  return { ...event, execution: { ...execution, ...printed, displays: [] } };
}
