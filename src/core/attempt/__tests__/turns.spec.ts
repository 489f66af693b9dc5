/** What a model is asked for next, played as sessions. */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import { makeRequest, type RequestParts } from '../../__tests__/requests';
import { attemptOf, stateOf } from '../../__tests__/states';
import { answer, deps, drain, model, run } from '../../__tests__/sessions';
import { refine } from '../../loop';
import { repeatedAttempt } from '../turns';

/** As many checks hold of three as the candidate says: `holds = 2`. */
const executor = () =>
  new FakeExecutor(({ candidate }) => {
    const held = Number(/holds = (\d)/.exec(candidate)?.[1] ?? 0);
    return {
      assertions: [1, 2, 3].map(line =>
        fakeAssertion({
          line,
          source: `assert f(${line})`,
          outcome: line <= held ? 'passed' : 'failed'
        })
      )
    };
  });

/** `fresh` for a prompt without an earlier program, `wrong` for one that says what it gave, else the program to correct. */
function turnsOf(generator: FakeModel): readonly string[] {
  return generator.requests.map(({ messages }) => {
    const text = messages
      .slice(1)
      .map(({ content }) => content)
      .join();
    const programs = [
      ...text.matchAll(/^(?!.*assert )(?:\w+ = |holds).*$/gm)
    ].map(([line]) => line.trim());
    return text.includes('An earlier program was wrong.')
      ? 'wrong'
      : programs.join() || 'fresh';
  });
}

/** More lines than a program that is written as easily anew. */
const long = (code: string) => `${code}${'\n# more'.repeat(15)}`;

async function play(
  codes: readonly string[],
  parts: RequestParts['options'] = {},
  judgements: readonly string[] = []
) {
  const generator = model(...codes.map(code => answer(code)));
  const { state } = await run(
    makeRequest({ options: { maxAttempts: codes.length, ...parts } }),
    { generator, executor: executor(), evaluatorModel: model(...judgements) }
  );
  return {
    state,
    turns: turnsOf(generator),
    temperatures: generator.requests.map(r => r.temperature)
  };
}

it('one correction, then fresh programs at a higher temperature', async () => {
  const { turns, temperatures, state } = await play(
    ['a = 0', 'b = 0', 'c = 0', 'd = 0', 'e = 0'],
    { temperature: 0.2 }
  );
  expect(turns).toEqual(['fresh', 'wrong', 'fresh', 'fresh', 'fresh']);
  expect(temperatures).toEqual([0.2, 0.7, 0.9, 0.9, 0.9]);
  expect(state.restarts).toEqual([3, 4, 5]);
});

it('a program that passes more checks than any before is corrected', async () => {
  const { turns, temperatures } = await play([
    'a = 0',
    long('holds = 1'),
    long('holds = 2'),
    long('holds = 1 # less'),
    long('holds = 2 # no more')
  ]);
  expect(turns).toEqual(['fresh', 'wrong', 'holds = 1', 'holds = 2', 'fresh']);
  expect(temperatures).toEqual([...Array<undefined>(4), 0.9]);
});

it('a short one is not shown: what it gave is', async () => {
  const { turns } = await play(['holds = 1', 'holds = 2', 'holds = 1 # less']);
  expect(turns).toEqual(['fresh', 'wrong', 'wrong']);
});

it('a repeated program is never sent back, and makes it warmer', async () => {
  const { turns, temperatures, state } = await play([
    'a = 0',
    'a = 0\n\n',
    'a = 0 ',
    'b = 0'
  ]);
  expect(turns).toEqual(['fresh', 'wrong', 'fresh', 'fresh']);
  expect(state.attempts.map(a => a.repeatOf)).toEqual([null, 1, 1, null]);
  expect(temperatures.slice(2)).toEqual([0.9, 1.1]);
});

it('a new error is corrected; a fresh start names all', async () => {
  const codes = [
    'fail(KeyError)',
    'fail(TypeError)',
    'fail(KeyError) # again',
    'fail(OSError)',
    'fail(OSError) # again'
  ];
  const generator = model(...codes.map(code => answer(code)));
  const raising = new FakeExecutor(({ candidate }) => {
    const [, name = ''] = /fail\((\w+)/.exec(candidate) ?? [];
    const error = { name, message: 'no', traceback: '' };
    return { status: 'error', error };
  });
  const { state } = await run(makeRequest(), { generator, executor: raising });
  const prompts = generator.requests.map(
    ({ messages }) => messages.at(-1)!.content
  );
  expect(state.restarts).toEqual([4]);
  expect(prompts[3]).toContain(
    'Earlier programs raised:\n- KeyError: no\n- TypeError: no\n\nWrite one that does not.'
  );
  expect(prompts[3]).not.toContain('fail(');
  expect(prompts[4]).toContain('OSError: no');
});

it('a temperature of the user’s that is higher stays', async () => {
  const { temperatures } = await play(['a = 0', 'b = 0', 'c = 0'], {
    temperature: 1.2
  });
  expect(temperatures).toEqual([1.2, 1.2, 1.2]);
});

it('what a judge asks for is done with the program, however often', async () => {
  const more =
    '{"feedback": ["Name it."], "score": 4, "evaluation": "NEEDS_IMPROVEMENT"}';
  const codes = [1, 2, 3, 4].map(n => `holds = 3 # ${n}`);
  const { turns } = await play(codes, { evaluators: ['assertions', 'judge'] }, [
    more,
    more,
    more,
    more
  ]);
  expect(turns.map(turn => turn.split(',').at(-1))).toEqual([
    'fresh',
    ...codes.slice(0, 3)
  ]);
});

it('a hint goes on from the last program', async () => {
  const generator = model(answer('a = 0'), answer('b = 0'), answer('c = 0'));
  const options = { maxAttempts: 2 };
  const first = await run(makeRequest({ options }), {
    generator,
    executor: executor()
  });
  const own = deps({ generator, executor: executor() });
  await drain(
    refine(makeRequest({ options: { maxAttempts: 1 } }), own, {
      ...first.state,
      hints: ['Use f.']
    }),
    undefined,
    first.state
  );
  expect(turnsOf(generator)[2]).toBe('a = 0,b = 0');
});

describe('a program that has run before', () => {
  const ran = attemptOf(1, { code: 'x = 1\n\ny = 2  ' });
  const found = (code: string, since = 1) =>
    repeatedAttempt(stateOf([ran]), code, 2, since)?.attempt ?? null;

  it('is known by its text, blanks and blank lines aside', () => {
    expect(found('x = 1\ny = 2')).toBe(1);
    expect(found('x = 1\n  y = 2')).toBeNull();
    expect(found('x = 1\ny = 3')).toBeNull();
  });

  it('is not known from before the kernel changed', () => {
    expect(found('x = 1\ny = 2', 2)).toBeNull();
  });
});
