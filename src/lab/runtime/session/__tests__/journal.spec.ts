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

/** Full beyond so many characters, as a browser's is. */
class Quota extends MemoryStorage {
  constructor(private readonly room: number) {
    super();
  }

  override setItem(key: string, value: string): void {
    const before = this.items.get(key)?.length ?? 0;
    if (this.size + value.length - before > this.room) {
      throw new DOMException('full', 'QuotaExceededError');
    }
    this.size += value.length - before;
    super.setItem(key, value);
  }

  override removeItem(key: string): void {
    this.size -= this.items.get(key)?.length ?? 0;
    super.removeItem(key);
  }

  private size = 0;
}

const at = { at: 1, session: 's' };

const start = (prompt = 'p'): RefineEvent => ({
  ...at,
  type: 'attempt-start',
  attempt: 1,
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

  const codeOf = (attempt: number) => `x = ${attempt}${'#'.repeat(800)}`;

  /** Append 200 attempts; what is stored in the end, as attempts. */
  function after200(storage: JournalStorage, outputOf: (n: number) => string) {
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    for (let attempt = 1; attempt <= 200; attempt++) {
      const prompt = `${attempt}`.padEnd(2000, 'p');
      journal.append({ ...start(prompt), attempt } as RefineEvent);
      const code = codeOf(attempt);
      journal.append({ ...candidateEnd, attempt, code } as RefineEvent);
      journal.append({
        ...at,
        type: 'execution-end',
        attempt,
        execution: fakeExecution({ stdout: outputOf(attempt) })
      } as RefineEvent);
      journal.append({ ...at, type: 'attempt-end', attempt } as RefineEvent);
    }
    const { attempts } = folded(stored(storage));
    expect(attempts.map(({ code }) => code)).toEqual(
      Array.from({ length: 200 }, (_, i) => codeOf(i + 1))
    );
    return attempts;
  }

  it('keeps every attempt of 200, and drops the oldest outputs first', () => {
    const attempts = after200(new Quota(2_000_000), attempt =>
      `${attempt}`.padEnd(20_000, 'o')
    );
    const cut = attempts.filter(({ output }) => output.startsWith('(removed'));
    expect(cut.length).toBeGreaterThan(0);
    expect(cut).toEqual(attempts.slice(0, cut.length));
    expect(cut[0]?.output).toMatch(/^\(removed: the storage/);
    // What is left fills most of the storage.
    const left = attempts.slice(cut.length);
    expect(left.length).toBeGreaterThan(40);
    expect(left.every(({ output }) => output.length === 20_000)).toBe(true);
  });

  it('refers to no text of a prompt that was dropped', () => {
    const storage = new Quota(100_000);
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    const common = 'You write one cell. '.repeat(50);
    for (let attempt = 1; attempt <= 60; attempt++) {
      const events = [
        { ...start(common), attempt },
        { ...candidateEnd, attempt, code: codeOf(attempt) },
        {
          ...at,
          type: 'execution-end',
          attempt,
          execution: fakeExecution({ stdout: `${attempt}`.padEnd(9000, 'o') })
        },
        { ...at, type: 'attempt-end', attempt }
      ];
      events.forEach(event => journal.append(event as RefineEvent));
      // After each: a full storage does not spoil what is written next.
      const kept = stored(storage);
      expect(kept.filter(({ type }) => type === 'attempt-end')).toHaveLength(
        attempt
      );
      for (const event of kept) {
        if (event.type === 'attempt-start' && event.prompt.length > 0) {
          expect(event.prompt[0]).toEqual({ role: 'user', content: common });
        }
      }
    }
  });

  it('keeps an output that repeats once, whole in each of 200 attempts', () => {
    const storage = new Quota(5_000_000);
    const outputs = ['a', 'b', 'c'].map(text => text.repeat(20_000));
    const attempts = after200(storage, n => outputs[n % 3]!);
    expect(attempts.map(({ output }) => output)).toEqual(
      attempts.map(({ attempt }) => outputs[attempt % 3])
    );
    expect(stored(storage)[0]).toEqual({
      ...start('1'.padEnd(2000, 'p')),
      attempt: 1
    });
    const copies = [...storage.items.values()].filter(text =>
      text.includes(outputs[0]!)
    );
    expect(copies).toHaveLength(1);
  });

  it('puts an output into the next attempt that has it, when the first is cut', () => {
    const storage = new Quota(50_000);
    const journal = new SessionJournal(storage, () => 'a.ipynb');
    const makes = (attempt: number, thoughts: string, stdout: string) => {
      const execution = fakeExecution({ stdout });
      const events = [
        { ...start(), attempt },
        { ...candidateEnd, attempt, thoughts },
        { ...at, type: 'execution-end', attempt, execution },
        { ...at, type: 'attempt-end', attempt }
      ];
      events.forEach(event => journal.append(event as RefineEvent));
    };
    const lengths = () =>
      folded(stored(storage)).attempts.map(({ output }) => output.length);
    makes(1, 't'.repeat(15_000), 'o'.repeat(20_000));
    makes(2, '', 'o'.repeat(20_000));
    expect(lengths()).toEqual([20_000, 20_000]);
    makes(3, '', 'y'.repeat(20_000));
    const [first, ...others] = lengths();
    expect(first).toBeLessThan(100);
    expect(others).toEqual([20_000, 20_000]);
  });

  it('drops the oldest outputs of a session that goes on after a reload', () => {
    const storage = new Quota(45_000);
    const runs = [
      [1, 2, 3, 4],
      [5, 6]
    ];
    for (const run of runs) {
      const earlier = stored(storage);
      const journal = new SessionJournal(storage, () => 'a.ipynb', earlier);
      for (const attempt of run) {
        const stdout = `${attempt}`.padEnd(9000, 'o');
        [
          { ...start(), attempt },
          { ...candidateEnd, attempt },
          {
            ...at,
            type: 'execution-end',
            attempt,
            execution: fakeExecution({ stdout })
          },
          { ...at, type: 'attempt-end', attempt }
        ].forEach(event => journal.append(event as RefineEvent));
      }
    }
    const { attempts } = folded(stored(storage));
    expect(attempts.map(({ attempt }) => attempt)).toEqual(runs.flat());
    expect(attempts[0]?.output).toMatch(/^\(removed/);
    expect(attempts[5]?.output).toHaveLength(9000);
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
