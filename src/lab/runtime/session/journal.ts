/** Keeps the events of a notebook's last session for this browser tab, so that a reload shows every attempt. */
import type { RefineEvent } from '../../../core/events/events';
import { stringifyEvent, withDisplays } from '../../../core/events/journal';
import type { TabStore } from '../tabStore';

/** Milliseconds between writes. */
const WRITE_MS = 500;

/** Rich outputs that are kept of an attempt, characters; larger plots are shown again by running the cell. */
const DISPLAY_LIMIT = 20_000;

/** Events that a later one of the same attempt repeats: after a reload, of an attempt that was cut off its number is left. */
const PREVIEWS: readonly RefineEvent['type'][] = [
  'candidate-delta',
  'execution-output',
  'assertion-end'
];

/** Events that are written at once: what comes next may be a reload. */
const SETTLED: readonly RefineEvent['type'][] = [
  'attempt-end',
  'session-end',
  'fresh-kernel',
  'explanation',
  'acceptance'
];

/** Where the text of a notebook's last session is kept. */
export function journalKey(path: string): string {
  return `session:${path}`;
}

/** Writes one session; a full storage costs the prompts and outputs, then the journal, never the session. */
export class SessionJournal {
  /** @param path asked at each write: a notebook may be renamed meanwhile. */
  constructor(
    private readonly tab: TabStore,
    private readonly path: () => string,
    earlier: readonly RefineEvent[] = []
  ) {
    this.events = [...earlier];
  }

  append(event: RefineEvent): void {
    if (
      PREVIEWS.includes(event.type) ||
      // Nothing that is shown depends on it, and its prompt is long.
      (event.type === 'model-call' && event.purpose !== 'candidate')
    ) {
      return;
    }
    this.events.push(withDisplays(event, DISPLAY_LIMIT));
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
      this.tab.set(journalKey(this.written), '');
    }
    this.written = path;
    if (!this.write(path)) {
      this.events = this.events.map(shortened);
      this.write(path);
    }
  }

  private write(path: string): boolean {
    const text = this.events.map(event => {
      const line = this.lines.get(event) ?? stringifyEvent(event);
      this.lines.set(event, line);
      return line;
    });
    return this.tab.set(journalKey(path), text.join(''));
  }

  private events: RefineEvent[];
  /** What has been written before is not made again. */
  private readonly lines = new WeakMap<RefineEvent, string>();
  private timer: ReturnType<typeof setTimeout> | null = null;
  private written: string | null = null;
}

/** Stands where output was. */
const REMOVED = '(removed: the storage of this browser tab is full)\n';

/** An event without the exact prompt and answer, and what was printed; code, checks and verdicts stay. */
export function shortened(event: RefineEvent): RefineEvent {
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
