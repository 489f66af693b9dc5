import { FakeClock } from '../../../testing/fakeClock';
import { fakeEnd, FakeModel, type FakeStep } from '../../../testing/fakeModel';
import type { RefineEvent } from '../../events/events';
import type { RefineOptions } from '../../settings';
import { makeRequest } from '../../__tests__/requests';
import { answer, run } from '../../__tests__/sessions';

const MINUTE = 60_000;
const silent: readonly FakeStep[] = [{ type: 'hang' }];

/** What one session with such answers said of waits, each with the time it came at. */
function watch(
  steps: readonly FakeStep[],
  options: Partial<RefineOptions> = {}
) {
  const clock = new FakeClock();
  const controller = new AbortController();
  const said: (readonly [number, string])[] = [];
  const generator = new FakeModel([steps], { clock });
  const running = run(
    makeRequest({ options: { sessionTimeout: 600, ...options } }),
    { generator, clock, signal: controller.signal },
    (event: RefineEvent) => {
      if (event.type === 'wait-start') {
        said.push([event.at, event.reason]);
      } else if (event.type === 'wait-end') {
        said.push([event.at, 'over']);
      }
    }
  );
  return { clock, controller, said, running };
}

it('says which host is waited for and for how long', async () => {
  const { clock, controller, said, running } = watch(silent);
  await clock.advance(90_000);
  controller.abort();
  await running;
  expect(said).toEqual([
    [10_000, 'Waiting for model fake-1 at localhost: no data for 10 s.'],
    [40_000, 'Waiting for model fake-1 at localhost: no data for 40 s.'],
    [70_000, 'Waiting for model fake-1 at localhost: no data for 70 s.'],
    [90_000, 'over']
  ]);
});

it('counts from the last event and ends the wait with the next', async () => {
  const { clock, said, running } = watch([
    { type: 'text', text: 'A thought.' },
    { type: 'delay', ms: 9_000 },
    { type: 'text', text: answer('holds = 1, 2') },
    { type: 'delay', ms: 12_000 },
    fakeEnd()
  ]);
  await clock.advance(MINUTE);
  await running;
  expect(said).toEqual([
    [19_000, 'Waiting for model fake-1 at localhost: no data for 10 s.'],
    [21_000, 'over']
  ]);
});

it('says how far the prompt is read, until the answer comes', async () => {
  const { clock, said, running } = watch([
    { type: 'reading', tokens: 0, of: 2100 },
    { type: 'delay', ms: 5_000 },
    { type: 'reading', tokens: 1200, of: 2100 },
    { type: 'delay', ms: 14_000 },
    { type: 'reading', tokens: 2100, of: 2100 },
    { type: 'text', text: answer('holds = 1, 2') },
    fakeEnd()
  ]);
  await clock.advance(MINUTE);
  await running;
  expect(said.map(([, text]) => text)).toEqual([
    'The model reads the prompt: 0 of 2,100 tokens.',
    'over',
    'The model reads the prompt: 1,200 of 2,100 tokens.',
    'over'
  ]);
});

it('does not count the wait before a retry as silence', async () => {
  const { clock, said, running } = watch([
    { type: 'retry', reason: 'Too busy (429).', delayMs: 15_000 },
    { type: 'delay', ms: 20_000 },
    { type: 'text', text: answer('holds = 1, 2') },
    fakeEnd()
  ]);
  await clock.advance(MINUTE);
  await running;
  expect(said).toEqual([
    [0, 'Too busy (429). The answer starts again in 15 s.'],
    [20_000, 'over']
  ]);
});
