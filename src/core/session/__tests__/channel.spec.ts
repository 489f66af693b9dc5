import { systemClock } from '../../clock';
import { EventChannel } from '../channel';
import type { RefineEvent } from '../../events/events';

type Delta = Extract<RefineEvent, { type: 'candidate-delta' }>;

function delta(parts: Partial<Delta> = {}): Delta {
  return {
    type: 'candidate-delta',
    at: 1,
    session: 's',
    attempt: 1,
    thoughts: '',
    code: '',
    ...parts
  };
}

const hint: RefineEvent = { type: 'hint', at: 2, session: 's', text: 'h' };

it('makes one delta of a macrotask’s', async () => {
  const channel = new EventChannel(systemClock);
  const reader = channel.next();
  channel.push(delta({ code: 'a' }));
  await Promise.resolve();
  channel.push(delta({ code: 'b', thoughts: 't', at: 5 }));
  expect(await reader).toEqual(delta({ code: 'ab', thoughts: 't', at: 5 }));
});

it('keeps the order with other events, attempts apart', async () => {
  const channel = new EventChannel(systemClock);
  channel.push(delta({ code: 'a' }));
  channel.push(hint);
  channel.push(delta({ code: 'b' }));
  channel.push(delta({ code: 'c', attempt: 2 }));
  channel.close();
  const got: RefineEvent[] = [];
  for (let e = await channel.next(); e; e = await channel.next()) {
    got.push(e);
  }
  expect(got).toEqual([
    delta({ code: 'a' }),
    hint,
    delta({ code: 'b' }),
    delta({ code: 'c', attempt: 2 })
  ]);
});

it('gives null to waiting readers, and drops later values', async () => {
  const channel = new EventChannel(systemClock);
  const waiting = channel.next();
  channel.close();
  channel.push(hint);
  expect(await waiting).toBeNull();
  expect(await channel.next()).toBeNull();
});
