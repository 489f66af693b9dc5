import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { checkCell, makeRequest } from '../../__tests__/requests';
import { answer, model, run, scored } from '../../__tests__/sessions';
import { attemptOf, stateOf } from '../../__tests__/states';
import { FakeExecutor } from '../../../testing/fakeExecutor';
import { NO_USAGE } from '../../domain/model';
import { followUpOf } from '../followUp';
import { buildMessages } from '../prompts';

const HELD_OUT = 'assert fibonacci(30) == 832040';

function passedState(options = {}) {
  return stateOf(
    [
      attemptOf(1, {
        code: 'first',
        thoughts: 'Loops',
        execution: fakeExecution({
          assertions: [
            fakeAssertion({
              source: 'assert f(1)',
              outcome: 'failed',
              observed: { expression: 'f(1)', type: 'str', repr: "'Ada'" },
              expected: { expression: 'x', type: 'str', repr: "'Bob'" }
            })
          ]
        })
      }),
      attemptOf(3, {
        execution: fakeExecution({
          status: 'error',
          error: { name: 'KeyError', message: "'Ada'", traceback: '' }
        })
      }),
      attemptOf(2, { code: 'second', thoughts: 'Recurses' })
    ],
    {
      best: 2,
      hints: ['use a cache'],
      explanations: [
        { question: 'why?', text: 'It never ends.', usage: NO_USAGE }
      ],
      request: makeRequest({
        holdouts: [checkCell(HELD_OUT, 1, 'holdout')],
        options
      })
    }
  );
}

describe('followUpOf', () => {
  it('reports attempts, hints and answers of the session before', () => {
    const { text, history } = followUpOf(
      passedState(),
      'also negative numbers',
      'second'
    );
    expect(text).toBe('also negative numbers');
    expect(history).toHaveLength(1);
    expect(history[0]).toContain('- attempt 1: 0 of 1, fails f(1): Loops');
    expect(history[0]).toContain('- use a cache');
    expect(history[0]).toContain('It never ends.');
    expect(history[0]).not.toContain('```');
    expect(history[0]).not.toContain('832040');
  });

  it('names no value of an attempt: settings may keep them here', () => {
    const [session] = followUpOf(passedState(), 'more', 'second').history;
    expect(session).toContain('- attempt 3: raises KeyError');
    expect(session).not.toContain('Ada');
  });

  it('has the code of a result that the cell does not hold', () => {
    const [session] = followUpOf(passedState(), 'more', 'edited').history;
    expect(session).toContain('```python\nsecond\n```');
  });
});

it('the cell as it was is no result of a follow-up', async () => {
  const { outcome } = await run(
    makeRequest({
      source: 'holds = 12',
      options: { maxAttempts: 1 },
      followUp: { text: 'also both', history: [] }
    }),
    {
      generator: model(answer('nothing = 0')),
      executor: new FakeExecutor(scored)
    }
  );
  expect(outcome).toMatchObject({ passed: false, best: { attempt: 1 } });
});

it('a template of the user has the change in its task', () => {
  const [, user] = buildMessages(
    makeRequest({
      followUp: { text: 'also negative numbers', history: ['earlier'] },
      options: { generatorPrompt: 'Do {{task}} after {{history}}.' }
    })
  );
  expect(user!.content).toMatch(/also negative numbers after earlier\.$/);
});
