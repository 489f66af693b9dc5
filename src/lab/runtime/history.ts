/** Earlier sessions of the notebooks: kept when one ends, listed, opened to read. */
import type { RefineEvent } from '../../core/events/events';
import { fold, initialState } from '../../core/events/fold';
import {
  parseEvents,
  stringifyEvent,
  withDisplays
} from '../../core/events/journal';
import type { SessionState } from '../../core/events/state';
import type { HistoryView, PastSession } from '../../tokens';
import type { RefineRequest } from '../../core/domain/request';
import { shortened } from './session/journal';

/** What the panel shows of it; reads are asynchronous, so that a later one wins. */
export class SessionHistory {
  /**
   * @param scope - of the server, whose notebooks may have the names of others.
   */
  constructor(
    private readonly store: IPastStore,
    private readonly scope: string,
    private readonly onChange: () => void
  ) {}

  /** Null while it is closed. */
  get view(): HistoryView | null {
    return this._view;
  }

  /** Keep a session that has ended; a browser that stores nothing keeps nothing. */
  async keep(path: string, events: readonly RefineEvent[]): Promise<void> {
    const [first] = events;
    const text = pastText(events);
    const state = first && stateOf(events, first.session);
    if (!state?.request || !text) {
      return;
    }
    const entry = entryOf(state, path);
    try {
      await this.store.put({ entry, notebook: this.key(path), text });
    } catch (reason) {
      console.warn('jupyterlab-refine: session not kept.', reason);
    }
  }

  /** The sessions of a notebook go along when it is renamed. */
  async rename(path: string, renamed: string): Promise<void> {
    try {
      await this.store.move(this.key(path), this.key(renamed));
    } catch (reason) {
      console.warn('jupyterlab-refine: history not renamed.', reason);
    }
  }

  /** List the sessions of a notebook. */
  async open(path: string): Promise<void> {
    let entries: readonly PastSession[] = [];
    try {
      entries = await this.store.list(this.key(path));
    } catch (reason) {
      console.warn('jupyterlab-refine: no history.', reason);
    }
    this.show({ path, entries, shown: null });
  }

  /** Show one of those listed; null: the list again. */
  async choose(id: string | null): Promise<void> {
    const { view } = this;
    const entry = view?.entries.find(known => known.id === id);
    const text = entry ? await this.store.read(entry.id) : null;
    const session = entry && text ? stateOf(parseEvents(text), entry.id) : null;
    if (view && view === this._view) {
      this.show({
        ...view,
        shown: entry && session ? { entry, session } : null
      });
    }
  }

  close(): void {
    this.show(null);
  }

  private key(path: string): string {
    return `${this.scope}#${path}`;
  }

  private show(view: HistoryView | null): void {
    this._view = view;
    this.onChange();
  }

  private _view: HistoryView | null = null;
}

function stateOf(events: readonly RefineEvent[], id: string): SessionState {
  return events.reduce(fold, initialState(id));
}

function entryOf(state: SessionState, path: string): PastSession {
  const { session, request, outcome, startedAt, attempts } = state;
  return {
    id: session,
    path,
    at: startedAt,
    cell: (request?.target.index ?? 0) + 1,
    attempts: attempts.filter(({ attempt }) => attempt > 0).length,
    passedOn: outcome?.passed ? (outcome.best?.attempt ?? null) : null,
    prompt: (request?.prompt ?? '').slice(0, 200)
  };
}

/** Largest stored session, characters. */
export const PAST_LIMIT = 1_000_000;

const DISPLAY_LIMIT = 100_000;

/** The events as they are stored; null where even the least is too long. */
export function pastText(events: readonly RefineEvent[]): string | null {
  const open = events.map(event =>
    withDisplays(withoutSecrets(event), DISPLAY_LIMIT)
  );
  for (const kept of [open, open.map(shortened)]) {
    const text = kept.map(stringifyEvent).join('');
    if (text.length <= PAST_LIMIT) {
      return text;
    }
  }
  return null;
}

/** No text of a hold-out or scorer, no name that they hide; requests hold no keys. */
function withoutSecrets(event: RefineEvent): RefineEvent {
  return event.type === 'session-start'
    ? { ...event, request: withoutHidden(event.request) }
    : event;
}

function withoutHidden<
  T extends Pick<RefineRequest, 'holdouts' | 'scorer' | 'hiddenNames'>
>(checks: T): T {
  const { holdouts, scorer, hiddenNames } = checks;
  return {
    ...checks,
    holdouts: holdouts.map(cell => ({ ...cell, source: '' })),
    ...(scorer ? { scorer: { ...scorer, source: '' } } : {}),
    ...(hiddenNames ? { hiddenNames: [] } : {})
  };
}

/** Sessions kept of one notebook, and of all. */
const OF_NOTEBOOK = 20;
const OF_ALL = 200;

export type PastRecord = {
  readonly entry: PastSession;
  /** Server and path: one browser may know several servers. */
  readonly notebook: string;
  readonly text: string;
};

export interface IPastStore {
  /** Of a notebook, newest first. */
  list(notebook: string): Promise<readonly PastSession[]>;
  read(id: string): Promise<string | null>;
  /** Add it, or replace the one with its id; the oldest beyond the limits are removed. */
  put(record: PastRecord): Promise<void>;
  /** Those of one notebook become those of another. */
  move(from: string, to: string): Promise<void>;
}

const STORE = 'sessions';

/** Nothing is kept where the browser keeps nothing (a private window). */
export class IndexedPastStore implements IPastStore {
  constructor(private readonly factory: IDBFactory) {}

  async list(notebook: string): Promise<readonly PastSession[]> {
    return (await this.all())
      .filter(record => record.notebook === notebook)
      .map(({ entry }) => entry);
  }

  async read(id: string): Promise<string | null> {
    const found = (await this.all()).find(({ entry }) => entry.id === id);
    return found?.text ?? null;
  }

  async put(record: PastRecord): Promise<void> {
    const others = (await this.all()).filter(
      ({ entry }) => entry.id !== record.entry.id
    );
    const removed = beyondLimits([record, ...others]);
    const store = await this.open('readwrite');
    removed.forEach(({ entry }) => store.delete(entry.id));
    await settled(store.put({ ...record, id: record.entry.id }));
  }

  async move(from: string, to: string): Promise<void> {
    const found = await this.all();
    const store = await this.open('readwrite');
    for (const record of found.filter(({ notebook }) => notebook === from)) {
      await settled(store.put({ ...record, notebook: to }));
    }
  }

  /** Newest first. */
  private async all(): Promise<readonly PastRecord[]> {
    const store = await this.open('readonly');
    const found: readonly PastRecord[] = await settled(store.getAll());
    return [...found].sort((a, b) => b.entry.at - a.entry.at);
  }

  private async open(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    this.database ??= this.connect();
    return (await this.database).transaction(STORE, mode).objectStore(STORE);
  }

  private connect(): Promise<IDBDatabase> {
    const request = this.factory.open('jupyterlab-refine', 1);
    request.onupgradeneeded = () =>
      request.result.createObjectStore(STORE, { keyPath: 'id' });
    return settled(request);
  }

  private database: Promise<IDBDatabase> | null = null;
}

/** Those to remove; given newest first. */
export function beyondLimits(
  records: readonly PastRecord[]
): readonly PastRecord[] {
  const counts = new Map<string, number>();
  return records.filter(({ notebook }, i) => {
    const count = (counts.get(notebook) ?? 0) + 1;
    counts.set(notebook, count);
    return count > OF_NOTEBOOK || i >= OF_ALL;
  });
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
