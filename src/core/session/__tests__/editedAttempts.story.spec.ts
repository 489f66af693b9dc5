/** Attempts of the user's own, and another attempt than the best to go on from. */
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { makeRequest } from '../../__tests__/requests';
import {
  answer,
  deps,
  drain,
  model,
  run,
  scored
} from '../../__tests__/sessions';
import { fold, initialState } from '../../events/fold';
import { parseEvents, stringifyEvent } from '../../events/journal';
import { refine } from '../../loop';
import { Steering } from '../steering';

const request = makeRequest({ options: { maxAttempts: 2 } });

/** Two attempts: the first holds 1 of 2, the second none. */
const failed = () =>
  run(request, {
    generator: model(answer('holds = 1'), answer('none = 0'))
  });

/** Nobody is asked about code of the user's own. */
const ask = jest.fn(async () => false);

async function goOn(
  steer: (steering: Steering) => void,
  maxAttempts: number,
  answers: readonly string[] = [],
  options = {}
) {
  const { state: earlier, events } = await failed();
  const steering = new Steering();
  steer(steering);
  const generator = model(...answers);
  const executor = new FakeExecutor(scored);
  const more = makeRequest({ options: { maxAttempts, ...options } });
  const ended = await drain(
    refine(more, deps({ generator, executor, steering, ask }), earlier),
    undefined,
    earlier
  );
  return { ...ended, generator, executor, all: [...events, ...ended.events] };
}

it('an edited attempt is run and judged without a call', async () => {
  const { state, outcome, generator, executor, all } = await goOn(
    steering => steering.edit({ from: 1, code: 'holds = 12' }),
    1,
    [],
    { approveExecution: true }
  );
  expect(generator.requests).toHaveLength(0);
  expect(ask).not.toHaveBeenCalled();
  expect(executor.jobs.map(job => job.candidate)).toEqual(['holds = 12']);
  expect(state.attempts[2]).toMatchObject({
    attempt: 3,
    editedFrom: 1,
    code: 'holds = 12',
    prompt: [],
    verdict: { evaluation: 'pass' }
  });
  expect(outcome).toMatchObject({ passed: true, best: { attempt: 3 } });
  const rebuilt = parseEvents(all.map(stringifyEvent).join('')).reduce(
    fold,
    initialState(state.session)
  );
  expect(rebuilt).toEqual(state);
});

it('the model goes on from an edited attempt that failed', async () => {
  const { generator } = await goOn(
    steering => steering.edit({ from: 2, code: 'mine = 2' }),
    2,
    [answer('holds = 12')]
  );
  const sent = JSON.stringify(generator.requests[0]!.messages);
  expect(sent).toContain('mine = 2');
  expect(sent).toContain('The user wrote this code, from that of attempt 2.');
});

it('a base chosen while the session runs is used by the next prompt', async () => {
  const steering = new Steering();
  const generator = model(
    answer('holds = 1'),
    answer('none = 0'),
    answer('holds = 12')
  );
  await run(makeRequest(), { generator, steering }, event => {
    if (event.type === 'execution-end' && event.attempt === 2) {
      steering.base(1);
    }
  });
  const last = JSON.stringify(generator.requests[2]!.messages);
  expect(last).toContain('The user chose this attempt');
  expect(last).toContain('holds = 1');
  expect(last).not.toContain('none = 0');
});

describe('an attempt that was denied the network', () => {
  const denying = () =>
    new FakeExecutor(job =>
      job.allowNetwork
        ? scored(job)
        : {
            ...scored({ ...job, candidate: '' }),
            denied: ['tried to reach example.org:443']
          }
    );
  const start = (steering: Steering, onPause: () => void) => {
    const generator = model(answer('holds = 12'), answer('none = 0'));
    const executor = denying();
    const ended = run(
      makeRequest({ options: { maxAttempts: 2 } }),
      { generator, executor, steering },
      event => {
        if (event.type === 'pause' && event.paused) {
          onPause();
        }
      }
    );
    return { generator, ended };
  };

  it('pauses before another call, and runs again once that is allowed', async () => {
    const steering = new Steering();
    const { generator, ended } = start(steering, () => {
      steering.edit({ from: 1, code: 'holds = 12', allow: 'network' });
      steering.continue();
    });
    expect((await ended).outcome).toMatchObject({ passed: true, attempts: 2 });
    expect(generator.requests).toHaveLength(1);
  });

  it('goes on without it, and pauses no second time', async () => {
    const steering = new Steering();
    const onPause = jest.fn(() => steering.continue());
    const { generator, ended } = start(steering, onPause);
    expect((await ended).outcome).toMatchObject({ passed: false });
    expect(onPause).toHaveBeenCalledTimes(1);
    expect(generator.requests).toHaveLength(2);
    expect(JSON.stringify(generator.requests[1]!.messages)).toContain(
      'Do without'
    );
  });

  it('does not pause a session that goes on with what was allowed', async () => {
    const request = makeRequest({ options: { maxAttempts: 1 } });
    const executor = denying();
    const { state: earlier } = await run(request, {
      generator: model(answer('holds = 12')),
      executor
    });
    const steering = new Steering();
    steering.edit({ from: 1, code: 'holds = 12', allow: 'network' });
    const { outcome } = await drain(
      refine(
        request,
        deps({ generator: model(), executor, steering }),
        earlier
      ),
      undefined,
      earlier
    );
    expect(outcome).toMatchObject({ passed: true });
  });
});
