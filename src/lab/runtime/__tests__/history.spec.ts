import { parseEvents } from '../../../core/events/journal';
import { makeRequest } from '../../../core/__tests__/requests';
import { run } from '../../../core/__tests__/sessions';
import type { RefineEvent } from '../../../core/events/events';
import {
  beyondLimits,
  PAST_LIMIT,
  pastText,
  SessionHistory,
  type IPastStore,
  type PastRecord
} from '../history';

const SECRET = 'the hold-out source';

/** A real session, whose request has hold-outs and a scorer. */
async function session(): Promise<readonly RefineEvent[]> {
  const { events } = await run(makeRequest({ source: 'x = 1' }));
  return events.map(event =>
    event.type === 'session-start'
      ? {
          ...event,
          request: {
            ...event.request,
            holdouts: [
              {
                cellId: 'h',
                index: 3,
                role: 'holdout',
                source: SECRET,
                statements: 1
              }
            ],
            scorer: { cellId: 's', index: 4, source: SECRET },
            hiddenNames: [SECRET]
          }
        }
      : event
  );
}

const opened = async (history: SessionHistory, path: string) => {
  await history.open(path);
  return history.view?.entries ?? [];
};

describe('pastText', () => {
  it('holds every event, and nothing of hold-outs and scorer', async () => {
    const events = await session();
    const text = pastText(events) ?? '';
    expect(text).not.toContain(SECRET);
    expect(parseEvents(text)).toHaveLength(events.length);
  });

  it('leaves out prompts and output, then everything', async () => {
    const events = await session();
    const long = 'p'.repeat(PAST_LIMIT);
    const asked = events.map(event =>
      event.type === 'attempt-start'
        ? { ...event, prompt: [{ role: 'user', content: long }] }
        : event
    );
    const text = pastText(asked) ?? '';
    expect(text.length).toBeLessThan(PAST_LIMIT);
    expect(parseEvents(text)).toHaveLength(events.length);
    const hints = [
      ...events,
      { type: 'hint', at: 1, session: 's', text: long } as const
    ];
    expect(pastText(hints)).toBeNull();
  });
});

it('SessionHistory is empty where the browser stores nothing', async () => {
  jest.spyOn(console, 'warn').mockImplementation();
  const fails = () => Promise.reject(new Error('denied'));
  const store = { list: fails, read: fails, put: fails, move: fails };
  const history = new SessionHistory(store, 'server', jest.fn());
  await history.keep('a.ipynb', await session());
  expect(await opened(history, 'a.ipynb')).toEqual([]);
});

it('SessionHistory goes along when the notebook is renamed', async () => {
  let records: PastRecord[] = [];
  const store: IPastStore = {
    list: async notebook =>
      records.filter(r => r.notebook === notebook).map(r => r.entry),
    read: async () => null,
    put: async record => void records.push(record),
    move: async (from, to) => {
      records = records.map(r =>
        r.notebook === from ? { ...r, notebook: to } : r
      );
    }
  };
  const history = new SessionHistory(store, 'server', jest.fn());
  await history.keep('a.ipynb', await session());
  await history.rename('a.ipynb', 'b.ipynb');
  expect(await opened(history, 'a.ipynb')).toEqual([]);
  expect(await opened(history, 'b.ipynb')).toHaveLength(1);
});

test('the oldest are removed, of one notebook and of all', () => {
  const record = (n: number, notebook: string): PastRecord => ({
    entry: {
      id: `${n}`,
      path: notebook,
      at: -n,
      cell: 1,
      attempts: 1,
      passedOn: null,
      prompt: ''
    },
    notebook,
    text: ''
  });
  const one = Array.from({ length: 22 }, (_, n) => record(n, 'a'));
  expect(beyondLimits(one).map(({ entry }) => entry.id)).toEqual(['20', '21']);
  const many = Array.from({ length: 203 }, (_, n) => record(n, `${n}`));
  expect(beyondLimits(many)).toHaveLength(3);
});
