/** @jest-environment node */
import type { RefineEvent } from '../../../../core/events/events';
import { fold, initialState } from '../../../../core/events/fold';
import { fakeExecution } from '../../../../testing/fakeExecutor';
import { memoryStorage } from '../../__tests__/sharedNotebook';
import { TabStore } from '../../tabStore';
import { journalKey, SessionJournal } from '../journal';

const at = { at: 1, session: 's' };

const start = (prompt = 'p'): RefineEvent => ({
  ...at,
  type: 'attempt-start',
  attempt: 1,
  prompt: [{ role: 'user', content: prompt }]
});

const delta = (code: string): RefineEvent => ({
  ...at,
  type: 'candidate-delta',
  attempt: 1,
  thoughts: '',
  code
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
  code: 'x = 1'
};

const stored = (tab: TabStore, path = 'a.ipynb'): RefineEvent[] =>
  tab
    .get(journalKey(path))
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as RefineEvent);

const folded = (events: readonly RefineEvent[]) =>
  events.reduce(fold, initialState('s'));

describe('SessionJournal', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('leaves out previews, which the full event repeats', () => {
    const tab = new TabStore(memoryStorage());
    const journal = new SessionJournal(tab, () => 'a.ipynb');
    const events = [start(), delta('x'), candidateEnd, output('1')];
    events.forEach(event => journal.append(event));
    journal.flush();
    expect(stored(tab).map(event => event.type)).toEqual([
      'attempt-start',
      'candidate-end'
    ]);
  });

  it('keeps small rich outputs, and no plot', () => {
    const tab = new TabStore(memoryStorage());
    const journal = new SessionJournal(tab, () => 'a.ipynb');
    const displays = [
      { mime: 'image/png', data: 'x'.repeat(100_000) },
      { mime: 'text/plain', data: 'small' }
    ];
    journal.append({
      ...at,
      type: 'execution-end',
      attempt: 1,
      execution: fakeExecution({ displays })
    });
    journal.flush();
    const [kept] = stored(tab);
    expect(JSON.stringify(kept)).not.toContain('xxx');
    expect(JSON.stringify(kept)).toContain('small');
  });

  it('drops prompts, then all, when the storage is full', () => {
    const small = new TabStore(memoryStorage(400));
    const journal = new SessionJournal(small, () => 'a.ipynb');
    journal.append(start('p'.repeat(1000)));
    journal.append(candidateEnd);
    journal.flush();
    expect(stored(small)[0]).toMatchObject({ prompt: [] });
    expect(stored(small)[1]).toEqual(candidateEnd);

    const tiny = new TabStore(memoryStorage(10));
    const other = new SessionJournal(tiny, () => 'a.ipynb');
    other.append(start());
    expect(() => other.flush()).not.toThrow();
    expect(tiny.get(journalKey('a.ipynb'))).toBe('');
  });

  it('keeps code and verdicts of a session whose outputs fill the storage', () => {
    const tab = new TabStore(memoryStorage(100_000));
    const journal = new SessionJournal(tab, () => 'a.ipynb');
    for (let attempt = 1; attempt <= 20; attempt++) {
      journal.append({ ...start('p'.repeat(5000)), attempt } as RefineEvent);
      journal.append({ ...candidateEnd, attempt } as RefineEvent);
      journal.append({
        ...at,
        type: 'execution-end',
        attempt,
        execution: fakeExecution({ stdout: 'o'.repeat(20_000) })
      });
      // After each: a full storage does not spoil what is written next.
      journal.flush();
      const { attempts } = folded(stored(tab));
      expect(attempts.map(({ code }) => code)).toEqual(
        Array.from({ length: attempt }, () => 'x = 1')
      );
    }
    const { attempts } = folded(stored(tab));
    expect(attempts[0]?.output).toMatch(/^\(removed: the storage/);
  });

  it('follows a notebook that is renamed', () => {
    const tab = new TabStore(memoryStorage());
    let path = 'a.ipynb';
    const journal = new SessionJournal(tab, () => path);
    journal.append(start());
    journal.flush();
    path = 'b.ipynb';
    journal.flush();
    expect(tab.get(journalKey('a.ipynb'))).toBe('');
    expect(stored(tab, 'b.ipynb')).toHaveLength(1);
  });
});
