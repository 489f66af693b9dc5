import { FakeExecutor } from '../../../testing/fakeExecutor';
import { check } from '../../loop';
import { checkCell, makeRequest } from '../../__tests__/requests';
import {
  answer,
  deps,
  drain,
  model,
  run,
  scored
} from '../../__tests__/sessions';

const problem = (line: number, cellId = 'check') => ({
  cellId,
  line,
  source: line === 1 ? 'assert True' : 'assert (f(2), "secret")',
  problem: 'It is always true.'
});

describe('checks that cannot fail', () => {
  it('are reported before the first call; the others still check', async () => {
    const generator = model(answer('holds = 1, 2'));
    const executor = new FakeExecutor(scored, { problems: [problem(1)] });
    let calls = -1;
    const { outcome } = await run(
      makeRequest(),
      { generator, executor },
      event => {
        if (event.type === 'warning') {
          expect(event.message).toBe(
            'Line 1 of a check cannot fail: assert True (It is always true)'
          );
          expect(event.check).toEqual({ cellId: 'check', line: 1 });
          calls = generator.requests.length;
        }
      }
    );
    expect(calls).toBe(0);
    expect(outcome).toMatchObject({ passed: true, checkedBy: 'assertions' });
  });

  it('leave nothing where other cells only set up', async () => {
    const helper = { ...checkCell('limit = 3', 0), cellId: 'helper' };
    const executor = new FakeExecutor(scored, { problems: [problem(1)] });
    const { outcome } = await run(
      makeRequest({
        source: 'holds = 1',
        assertions: [helper, checkCell('assert True', 1)]
      }),
      { executor, generator: model(answer('holds = 1')) }
    );
    expect(outcome.stopReason).toBe('no-checks');
  });

  it('of a hold-out are reported without their source', async () => {
    const executor = new FakeExecutor(scored, {
      problems: [problem(2, 'hidden')]
    });
    const { state } = await run(
      makeRequest({
        holdouts: [checkCell('pass\nassert (f(2), "secret")', 1, 'holdout')]
      }),
      { executor }
    );
    expect(state.warnings.map(w => w.message)).toContain(
      'Line 2 of a hold-out cannot fail.'
    );
    expect(JSON.stringify(state.warnings)).not.toContain('secret');
  });

  it('do not discard checks where they are none themselves', async () => {
    const aside = { ...problem(2), counts: false };
    const executor = new FakeExecutor(scored, {
      problems: [problem(1), aside]
    });
    const { outcome } = await run(makeRequest(), {
      executor,
      generator: model(answer('holds = 1, 2'))
    });
    expect(outcome).toMatchObject({ passed: true, checkedBy: 'assertions' });
  });

  it('are no checks, where there are no others', async () => {
    const executor = new FakeExecutor(scored, {
      problems: [problem(1), problem(2)]
    });
    const request = makeRequest({ source: 'holds = 1, 2' });
    const written = await run(request, {
      executor,
      generator: model(answer('holds = 1, 2'))
    });
    const checked = await drain(check(request, deps({ executor })));
    for (const { outcome, state } of [written, checked]) {
      expect(outcome).toMatchObject({
        passed: false,
        checkedBy: 'none',
        stopReason: 'no-checks',
        best: { evaluation: 'unknown' }
      });
      expect(state.warnings.at(-1)?.message).toContain(
        'None of the checks can fail'
      );
    }
  });

  it('let the judge decide', async () => {
    const executor = new FakeExecutor(scored, {
      problems: [problem(1), problem(2)]
    });
    const { outcome } = await run(
      makeRequest({ options: { evaluators: ['assertions', 'judge'] } }),
      {
        executor,
        generator: model(answer('holds = 1, 2'), '{"evaluation": "PASS"}')
      }
    );
    expect(outcome).toMatchObject({ passed: true, checkedBy: 'judge' });
  });

  it('that cannot be looked at are taken as they are', async () => {
    const executor = new FakeExecutor(scored, {
      problems: new Error('no reply')
    });
    const { outcome, state } = await run(makeRequest(), {
      executor,
      generator: model(answer('holds = 1, 2'))
    });
    expect(outcome.passed).toBe(true);
    expect(state.warnings[0].message).toBe(
      'Could not determine whether the checks can fail: no reply'
    );
  });
});
