/** Ended sessions in this browser's IndexedDB: they survive a reload, and are never in the notebook's file. */
import type { PastSession } from '../../../tokens';

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
