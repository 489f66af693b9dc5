import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import type { Ask } from '../../deps';
import { check, refine } from '../../loop';
import { checkCell, makeRequest } from '../../__tests__/requests';
import {
  answer,
  deps,
  drain,
  model,
  run,
  scored
} from '../../__tests__/sessions';

const SENTENCE =
  'Two checks contradict each other: `f(1) == 2` (check 1, line 1) and `f(1) == 3` (check 2, line 2).';

const request = (parts: Parameters<typeof makeRequest>[0] = {}) =>
  makeRequest({
    prompt: 'Write f(n).',
    assertions: [checkCell('assert f(1) == 2\nassert f(1) == 3', 2)],
    options: { maxAttempts: 1 },
    ...parts
  });

const asking = (granted: boolean) => {
  const asked: unknown[] = [];
  const ask: Ask = async (subject, _, detail) => {
    asked.push([subject, detail]);
    return granted;
  };
  return { asked, ask };
};

describe('checks that contradict each other', () => {
  it('end the session before a call when the user says so', async () => {
    const generator = model(answer('holds = 1'));
    const { asked, ask } = asking(false);
    const { outcome, state } = await run(request(), { generator, ask });
    expect(asked).toEqual([['contradiction', { sentences: [SENTENCE] }]]);
    expect(generator.requests).toHaveLength(0);
    expect(state.warnings).toEqual([{ message: SENTENCE }]);
    expect(outcome).toMatchObject({
      passed: false,
      stopReason: 'no-checks',
      attempts: 0,
      error: { code: 'contradiction', kind: 'input', message: SENTENCE }
    });
  });

  it('do not end it when the user wants to go on', async () => {
    const { ask } = asking(true);
    const { outcome, events } = await run(request(), { ask });
    expect(outcome.attempts).toBe(1);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'permission',
        subject: 'contradiction',
        granted: true
      })
    );
  });

  it('are a warning where nobody can be asked', async () => {
    const { outcome, state } = await run(request());
    expect(outcome.attempts).toBe(1);
    expect(state.warnings).toEqual([{ message: SENTENCE }]);
  });

  it('are a warning of a check without a model', async () => {
    const { ask, asked } = asking(false);
    const { state } = await drain(check(request(), deps({ ask })));
    expect(state.warnings).toEqual([{ message: SENTENCE }]);
    expect(asked).toEqual([]);
  });

  it('are none where the current code passes both', async () => {
    const both = new FakeExecutor(job => ({
      assertions: [1, 2].map(line =>
        fakeAssertion({
          line,
          outcome: job.candidate === 'now' || line === 1 ? 'passed' : 'failed'
        })
      )
    }));
    const { ask, asked } = asking(true);
    await run(request({ source: 'now' }), { executor: both, ask });
    expect((asked as [string][]).map(([subject]) => subject)).toEqual([
      'continue'
    ]);
    const other = await run(request({ source: 'then' }), { executor: both });
    expect(other.state.warnings).toHaveLength(1);
  });

  it('are not asked about again when the session goes on', async () => {
    const { ask, asked } = asking(true);
    const generator = model(answer('holds = 1'), answer('holds = 2'));
    const first = await run(request(), { ask, generator });
    await drain(
      refine(request(), deps({ ask, generator }), first.state),
      undefined,
      first.state
    );
    expect(asked).toHaveLength(1);
    expect(generator.requests).toHaveLength(2);
  });

  it('name their numbers, and never a hold-out', async () => {
    const { state } = await run(
      request({
        assertions: [
          checkCell('assert f(1) == 2', 1),
          { ...checkCell('\nassert f(1) == 3', 1), cellId: 'other', index: 4 }
        ],
        holdouts: [checkCell('assert f(1) == 4', 1, 'holdout')]
      }),
      { executor: new FakeExecutor(scored) }
    );
    expect(state.warnings.map(({ message }) => message)).toEqual([
      'Two checks contradict each other: `f(1) == 2` (check 1, line 1) and `f(1) == 3` (check 2, line 2).'
    ]);
  });

  it('are looked for in Python alone', async () => {
    const { state } = await run(request({ language: 'r' }));
    expect(state.warnings).toEqual([]);
  });
});
