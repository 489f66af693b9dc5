/** @jest-environment node */
import type { RefineEvent } from '../../../../core/events/events';
import { fold, initialState } from '../../../../core/events/fold';
import { fakeExecution } from '../../../../testing/fakeExecutor';
import {
  forgetJournal,
  readJournal,
  SessionJournal,
  type JournalStorage
} from '../journal';

class MemoryStorage implements JournalStorage {
  constructor(private readonly limit = Infinity) {}

  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (value.length > this.limit) {
      throw new DOMException('full', 'QuotaExceededError');
    }
    this.items.set(key, value);
  }

  removeItem(key: string): void {
    this.items.delete(key);
  }

  readonly items = new Map<string, string>();
}

const at = { at: 1, session: 's' };

const start = (prompt = 'p'): RefineEvent => ({
  ...at,
  type: 'attempt-start',
  attempt: 1,
  candidate: 0,
  prompt: [{ role: 'user', content: prompt }]
});

const delta = (code: string, more: object = {}): RefineEvent => ({
  ...at,
  type: 'candidate-delta',
  attempt: 1,
  thoughts: '',
  code,
  ...more
});

const output = (text: string): RefineEvent => ({
  ...at,
  type: 'execution-output',
  attempt: 1,
  stream: 'stdout',
  text
});

const candidateEnd: RefineEvent = {
  ...at,
  type: 'candidate-end',
  attempt: 1,
  thoughts: 'why',
  code: 'x = 1',
  title: 'why'
};

const stored = (storage: JournalStorage, path = 'a.ipynb'): RefineEvent[] =>
  (readJournal(storage, path) ?? '')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as RefineEvent);

const folded = (events: readonly RefineEvent[]) =>
  events.reduce(fold, initialState('s'));

describe('SessionJournal', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('writes joined streams that fold to the same state', () => {
    const storage = new MemoryStorage();
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    const events = [
      start(),
      delta('x'),
      delta(' ='),
      delta('y', { reset: true }),
      delta(' = 2'),
      delta('z', { resetCode: true })
    ];
    events.forEach(event => journal.append(event));
    journal.flush();
    const kept = stored(storage);
    expect(kept).toHaveLength(2);
    expect(folded(kept)).toEqual(folded(events));
  });

  it('drops previews once the full event is there', () => {
    const storage = new MemoryStorage();
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    const events = [
      start(),
      delta('x'),
      candidateEnd,
      output('1'),
      output('2')
    ];
    events.forEach(event => journal.append(event));
    journal.flush();
    expect(stored(storage).map(event => event.type)).toEqual([
      'attempt-start',
      'candidate-end',
      'execution-output'
    ]);
    expect(folded(stored(storage))).toEqual(folded(events));
  });

  it('writes twice a second at most while events stream', () => {
    const storage = new MemoryStorage();
    const setItem = jest.spyOn(storage, 'setItem');
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    journal.append(start());
    for (let i = 0; i < 100; i++) {
      journal.append(delta('x'));
      jest.advanceTimersByTime(10);
    }
    expect(setItem).toHaveBeenCalledTimes(2);
  });

  it('writes an attempt that has ended once, and no plot of it', () => {
    const storage = new MemoryStorage();
    const setItem = jest.spyOn(storage, 'setItem');
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    const end = { ...at, type: 'attempt-end', attempt: 1 } as RefineEvent;
    const ran = {
      ...at,
      type: 'execution-end',
      attempt: 1,
      execution: {
        displays: [
          { mime: 'image/png', data: 'x'.repeat(100_000) },
          { mime: 'text/plain', data: 'small' }
        ]
      }
    } as unknown as RefineEvent;
    [start('p'.repeat(5000)), candidateEnd, ran, end].forEach(event =>
      journal.append(event)
    );
    setItem.mockClear();
    journal.append({ ...start(), attempt: 2 } as RefineEvent);
    journal.append({ ...delta('y'), attempt: 2 } as RefineEvent);
    journal.flush();
    const written = setItem.mock.calls.map(([, value]) => value.length);
    expect(written).toHaveLength(1);
    expect(written[0]).toBeLessThan(1000);
    const kept = stored(storage);
    expect(kept.map(event => event.type)).toEqual([
      'attempt-start',
      'candidate-end',
      'execution-end',
      'attempt-end',
      'attempt-start',
      'candidate-delta'
    ]);
    expect(JSON.stringify(kept[2])).not.toContain('xxx');
    expect(JSON.stringify(kept[2])).toContain('small');
    forgetJournal(storage, 'a.ipynb');
    expect(storage.items.size).toBe(0);
  });

  it('drops prompts, then all, when the storage is full', () => {
    const small = new MemoryStorage(400);
    const journal = new SessionJournal(small, () => 'a.ipynb');
    journal.append(start('p'.repeat(1000)));
    journal.append(candidateEnd);
    journal.flush();
    expect(stored(small)[0]).toMatchObject({ prompt: [] });
    expect(stored(small)[1]).toEqual(candidateEnd);

    const tiny = new MemoryStorage(10);
    const other = new SessionJournal(tiny, () => 'a.ipynb');
    other.append(start());
    expect(() => other.flush()).not.toThrow();
    expect(readJournal(tiny, 'a.ipynb')).toBeNull();
  });

  it('keeps every attempt of 500, and drops the oldest outputs first', () => {
    class Quota extends MemoryStorage {
      override setItem(key: string, value: string): void {
        const others = [...this.items].filter(([other]) => other !== key);
        const size = others.reduce((n, [, text]) => n + text.length, 0);
        if (size + value.length > 2_000_000) {
          throw new DOMException('full', 'QuotaExceededError');
        }
        super.setItem(key, value);
      }
    }
    const storage = new Quota();
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    const text = `x = 1${'#'.repeat(800)}`;
    for (let attempt = 1; attempt <= 500; attempt++) {
      journal.append({ ...start('p'.repeat(2000)), attempt } as RefineEvent);
      journal.append({ ...candidateEnd, attempt, code: text } as RefineEvent);
      journal.append({
        ...at,
        type: 'execution-end',
        attempt,
        execution: fakeExecution({ stdout: 'o'.repeat(20_000) })
      } as RefineEvent);
      journal.append({ ...at, type: 'attempt-end', attempt } as RefineEvent);
    }
    const { attempts } = stored(storage).reduce(fold, initialState('s'));
    expect(attempts).toHaveLength(500);
    expect(attempts.every(({ code }) => code === text)).toBe(true);
    expect(attempts[0]?.output).toMatch(/^\(removed: the storage/);
    expect(attempts.at(-1)?.output).toHaveLength(20_000);
  });

  it('follows a notebook that is renamed', () => {
    const storage = new MemoryStorage();
    let path = 'a.ipynb';
    const journal = new SessionJournal(storage, () => path);
    journal.append(start());
    journal.flush();
    path = 'b.ipynb';
    journal.flush();
    expect(readJournal(storage, 'a.ipynb')).toBeNull();
    expect(stored(storage, 'b.ipynb')).toHaveLength(1);
    forgetJournal(storage, 'b.ipynb');
    expect(readJournal(storage, 'b.ipynb')).toBeNull();
  });
});
