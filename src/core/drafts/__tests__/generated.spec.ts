/** @jest-environment node */
/** Drafted assertions: what is asked for, on what they are tried, and what a session makes of them. */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import { draftMessages } from '../prompt';
import { chosenSource, draftAssertions, type DraftDeps } from '../drafts';
import type { Drafts } from '../../domain/checks/drafted';
import { RefineError } from '../../errors';
import type { AssertionResult, Execution } from '../../domain/execution';
import type { ExecutionJob } from '../../domain/executor';
import { definedNames, stubs } from '../stubs';
import {
  checkCell,
  makeRequest,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

type Said = Partial<AssertionResult>;

/** A kernel that reports the same lines for every candidate, each with the outcome in `says`. */
function kernel(
  ...says: readonly ((candidate: string) => Said)[]
): FakeExecutor {
  return new FakeExecutor(
    ({ candidate }: ExecutionJob): Partial<Execution> => ({
      assertions: says.map((say, index) =>
        fakeAssertion({
          line: index + 1,
          source: `assert ${index + 1}`,
          ...say(candidate)
        })
      )
    })
  );
}

const FAILED: Said = { outcome: 'failed' };
const missing = (name: string): Said => ({
  outcome: 'error',
  error: {
    name: 'NameError',
    message: `name '${name}' is not defined`,
    traceback: ''
  }
});

function draft(
  executor: FakeExecutor,
  parts: RequestParts = {},
  more: Partial<DraftDeps> = {}
): Promise<Drafts> {
  return draftAssertions(makeRequest({ assertions: [], ...parts }), {
    model: new FakeModel([answer('assert 1\nassert 2')]),
    executor,
    signal: new AbortController().signal,
    onCall: () => undefined,
    ...more
  });
}

const candidates = (executor: FakeExecutor) =>
  executor.jobs.map(job => job.candidate);

describe('a trial of drafts', () => {
  it('differs from a run of the session, and has no effects', async () => {
    const executor = kernel(() => FAILED);
    await draft(executor, {
      source: 'f = 1',
      hiddenNames: ['y'],
      options: { attemptTimeout: 30 }
    });
    expect(executor.jobs.map(job => job.id)).toEqual([
      'session-1:draft.0',
      'session-1:draft.1',
      'session-1:draft.2'
    ]);
    expect(executor.jobs[0]).toEqual({
      id: 'session-1:draft.0',
      candidate: 'f = lambda *args, **kwargs: None',
      assertions: [
        {
          cellId: 'drafted',
          index: 2,
          role: 'assertion',
          source: 'assert 1\nassert 2',
          statements: 1
        }
      ],
      holdouts: [],
      limits: { seconds: 10 },
      contextValues: 'none',
      allowNetwork: false,
      allowWrites: false,
      notebookPath: 'fibonacci.ipynb',
      hiddenNames: ['y']
    });
    expect(executor.jobs[1].candidate).toBe('f = lambda *args, **kwargs: 0');
  });

  it('takes no longer than an attempt', async () => {
    const executor = kernel(() => FAILED);
    await draft(executor, { options: { attemptTimeout: 4 } });
    expect(executor.jobs[0].limits).toEqual({ seconds: 4 });
    expect(executor.jobs[0]).not.toHaveProperty('hiddenNames');
    expect(executor.jobs[0]).not.toHaveProperty('hiddenData');
  });

  it('uses empty texts and the text itself where it is a text', async () => {
    const executor = kernel(() => ({}));
    const { assertions } = await draft(executor, {
      target: { cellId: 't', index: 1, kind: 'markdown', source: 'f = 1' }
    });
    expect(candidates(executor)).toEqual([
      'response = ""',
      'response = "x"',
      'response = "f = 1"'
    ]);
    expect(assertions[0].problem).toBe('It passes whatever the cell does.');
  });

  it('defines the names that the task or the cell uses', async () => {
    const executor = kernel(candidate =>
      !candidate.includes('area =')
        ? missing('area')
        : !candidate.includes('side =')
          ? missing('side')
          : FAILED
    );
    const { assertions } = await draft(executor, {
      prompt: 'Write area(x).',
      source: '# with side'
    });
    expect(candidates(executor)).toEqual([
      '',
      '',
      'area = lambda *args, **kwargs: None',
      'area = lambda *args, **kwargs: 0',
      'area = lambda *args, **kwargs: None\nside = lambda *args, **kwargs: None',
      'area = lambda *args, **kwargs: 0\nside = lambda *args, **kwargs: 0'
    ]);
    expect(assertions[0]).toMatchObject({ problem: null });
  });

  it.each(['Write areas.', 'Write subarea.', 'Write x.area.', 'Write it.'])(
    'does not define a name that is but part of a word: %s',
    async prompt => {
      const executor = kernel(() => missing('area'));
      const { assertions } = await draft(executor, { prompt });
      expect(candidates(executor)).toEqual(['', '']);
      expect(assertions[0]).toMatchObject({
        problem: 'It uses area, which neither the kernel nor the task knows.'
      });
    }
  );

  it('ends where every round misses another name', async () => {
    const names = [...'abcdefghijkl'];
    const executor = kernel(candidate =>
      missing(names.find(name => !candidate.includes(`${name} = `)) ?? '')
    );
    await draft(executor, { prompt: names.join(' ') });
    expect(executor.jobs).toHaveLength(16);
  });

  it('is on the code of the cell too, which may contradict a draft', async () => {
    const source = 'def f(x):\n    return x + 1';
    const value = (repr: string) => ({ expression: 'f(1)', type: 'int', repr });
    const wrong = { ...FAILED, expected: value('3'), observed: value('2') };
    const executor = kernel(
      candidate => (candidate === source ? {} : FAILED),
      candidate => (candidate === source ? wrong : FAILED)
    );
    const { assertions } = await draft(executor, { source });
    expect(candidates(executor).slice(2)).toEqual([source]);
    expect(assertions.map(a => a.contradicted)).toEqual([
      undefined,
      { expected: '3', observed: '2' }
    ]);
    expect(assertions.map(a => a.problem)).toEqual([null, null]);
  });

  it('is not on a cell that holds nothing yet', async () => {
    const executor = kernel(() => FAILED);
    await draft(executor, { source: '# Write f + 1' });
    expect(executor.jobs).toHaveLength(2);
  });

  it('takes an error of the cell for a failure', async () => {
    const { assertions } = await draft(
      kernel(() => ({
        outcome: 'error',
        error: { name: 'TypeError', message: 'no', traceback: '' }
      }))
    );
    expect(assertions[0]).toMatchObject({ problem: null });
  });

  it('reports Python’s error for a draft that cannot be read', async () => {
    const { assertions } = await draft(
      kernel(() => ({
        outcome: 'error',
        error: { name: 'SyntaxError', message: 'bad input', traceback: '' }
      }))
    );
    expect(assertions[0].problem).toBe('It cannot be read: bad input');
  });

  it('that was stopped gives nothing', async () => {
    const stop = new AbortController();
    const executor = kernel(() => {
      stop.abort();
      return FAILED;
    });
    await expect(
      draft(executor, {}, { signal: stop.signal })
    ).rejects.toThrow();
    expect(executor.jobs).toHaveLength(1);
  });
});

describe('the call that drafts', () => {
  it('has the limit of the settings, or none', async () => {
    const drafter = new FakeModel([answer('assert 1')]);
    for (const maxOutputTokens of [77, null]) {
      await draft(
        kernel(() => FAILED),
        { options: { maxOutputTokens } },
        { model: drafter }
      );
    }
    expect(drafter.requests[0]).toMatchObject({
      temperature: 0,
      maxOutputTokens: 77
    });
    expect(drafter.requests[1]).not.toHaveProperty('maxOutputTokens');
  });

  it.each([answer('assert 1'), 'No.'])(
    'has no more than its reservation, and gives it back (%#)',
    async text => {
      const release = jest.fn();
      const drafter = new FakeModel([text]);
      const sizes: number[] = [];
      await draft(
        kernel(() => FAILED),
        {},
        {
          model: drafter,
          reserve: tokens => {
            sizes.push(tokens);
            return {
              maxOutputTokens: 9,
              covers: () => true,
              release,
              releaseNext: release
            };
          }
        }
      ).catch(() => undefined);
      expect(drafter.requests[0].maxOutputTokens).toBe(9);
      expect(sizes[0]).toBeGreaterThan(50);
      expect(release).toHaveBeenCalledTimes(1);
    }
  );

  it('is not made for another language', async () => {
    await expect(
      draft(
        kernel(() => FAILED),
        { language: 'r' }
      )
    ).rejects.toMatchObject({ kind: 'kernel', code: 'kernel-refused' });
  });

  it('asks for checks of the cell, without the user’s template', () => {
    const [system, user] = draftMessages(
      makeRequest({ options: { generatorPrompt: 'SECRET {{task}}' } })
    );
    expect([system.role, user.role]).toEqual(['system', 'user']);
    expect(system.content).toContain('one Python notebook cell');
    expect(system.content).toContain('At most 8 checks');
    expect(system.content).toContain('use the names that the task asks for');
    expect(system.content).not.toContain('`response`');
    expect(system.content).toMatch(/\n\nAnswer with one fenced code block/);
    expect(user.content).toBe('The task of the cell: Write fibonacci(n).');
  });

  it('asks for checks of a text where the target is one', () => {
    const [{ content }] = draftMessages(
      makeRequest({
        target: { cellId: 't', index: 1, kind: 'markdown', source: '' }
      })
    );
    expect(content).toContain('checks of a text');
    expect(content).toContain('The text is in the variable `response`.');
    expect(content).not.toContain('notebook cell');
  });
});

describe('chosenSource', () => {
  const drafted = (line: number, source: string) => ({
    line,
    source,
    problem: null
  });

  it('closes the gap of what is left out', () => {
    const drafts = {
      source: '\nassert a\n\nassert b\n\nassert c\n',
      assertions: [2, 4, 6].map((line, i) =>
        drafted(line, `assert ${'abc'[i]}`)
      )
    };
    expect(chosenSource(drafts, [2, 6])).toBe('assert a\n\nassert c');
    expect(chosenSource(drafts, [6])).toBe('assert c');
    expect(chosenSource(drafts, [2, 4, 6])).toBe(
      'assert a\n\nassert b\n\nassert c'
    );
    expect(chosenSource(drafts, [])).toBe('');
  });

  it('leaves out no line of the next statement', () => {
    const drafts = {
      source: 'assert a\nassert b',
      // Reported as it was written, on two lines.
      assertions: [drafted(1, 'assert (\na)'), drafted(2, 'assert b')]
    };
    expect(chosenSource(drafts, [2])).toBe('assert b');
  });
});

describe('stubs', () => {
  it('bind every name', () => {
    expect(stubs(['f', 'g'], 'code')).toEqual([
      'f = lambda *args, **kwargs: None\ng = lambda *args, **kwargs: None',
      'f = lambda *args, **kwargs: 0\ng = lambda *args, **kwargs: 0'
    ]);
  });

  it.each([
    ['def f(x): pass', ['f']],
    ['async  def  f(x): pass', ['f']],
    ['class A: pass', ['A']],
    ['x = 1', ['x']],
    ['x=1\ny = 2', ['x', 'y']],
    ['x: int = 1', ['x']],
    ['def area(x): pass\nside = 2', ['area', 'side']],
    ['  def f(x): pass', []],
    ['x == 1', []],
    ['x: int', []],
    ['  x = 1', []],
    ['f(x=1)', []],
    ['a.b = 1', []],
    ['define f', []]
  ])('%j defines %j', (source, names) => {
    expect([...definedNames(source)]).toEqual(names);
  });
});

describe('a session that may draft', () => {
  const asks = { assertions: [], options: { generateAssertions: true } };
  const drafter = () => model(answer('assert 1\nassert 2'), answer('f = 1'));
  const halfGood = () =>
    kernel(
      () => ({}),
      candidate => (candidate === 'f = 1' ? {} : FAILED)
    );

  it('drafts nothing without the setting, or beside a check', async () => {
    for (const parts of [
      { assertions: [] },
      { options: asks.options },
      { ...asks, holdouts: [checkCell('assert 1', 1, 'holdout')] }
    ]) {
      const { types } = await run(makeRequest(parts), {
        generator: drafter(),
        executor: halfGood()
      });
      expect(types).not.toContain('drafts');
    }
  });

  it('puts those of use below the target, as nobody’s', async () => {
    const { events, types, state } = await run(makeRequest(asks), {
      generator: drafter(),
      executor: halfGood()
    });
    expect(events.find(event => event.type === 'drafts')).toMatchObject({
      approved: false,
      chosen: [2],
      assertions: [
        {
          cellId: 'drafted',
          index: 2,
          role: 'assertion',
          source: 'assert 2',
          statements: 1,
          unverified: true
        }
      ]
    });
    // The call is the session's, not an attempt's.
    expect(events.find(event => event.type === 'usage')).toMatchObject({
      attempt: 0
    });
    expect(types).not.toContain('wait-start');
    expect(state.warnings.map(w => w.message)).not.toContain(
      'You used none of the drafted assertions, so nothing checks the cell.'
    );
  });

  it('waits for approval, and reads the cell of the drafts', async () => {
    const { events } = await run(makeRequest(asks), {
      generator: drafter(),
      executor: halfGood(),
      approveDrafts: async () => ({ chosen: [1, 2], cellId: 'new' })
    });
    expect(events.find(event => event.type === 'wait-start')).toMatchObject({
      for: 'human',
      reason: 'Assertions were drafted: approve them.'
    });
    const drafts = events.find(event => event.type === 'drafts');
    expect(drafts).toMatchObject({
      approved: true,
      chosen: [1, 2],
      assertions: [{ cellId: 'new', statements: 2 }]
    });
    expect(JSON.stringify(drafts)).not.toContain('unverified');
  });

  it('asks nobody about drafts of no use', async () => {
    const approveDrafts = jest.fn(async () => null);
    const { events, state } = await run(makeRequest(asks), {
      generator: drafter(),
      executor: kernel(() => ({})),
      approveDrafts
    });
    expect(approveDrafts).not.toHaveBeenCalled();
    expect(events.find(event => event.type === 'drafts')).toMatchObject({
      approved: true,
      chosen: [],
      assertions: []
    });
    expect(state.warnings.map(w => w.message)).toContain(
      'You used none of the drafted assertions, so nothing checks the cell.'
    );
  });

  it('continues without drafts where trials cannot be isolated', async () => {
    const { outcome, types, state } = await run(makeRequest(asks), {
      generator: model(answer('f = 1')),
      executor: new FakeExecutor([{}], {
        isolation: { mode: 'live', reasons: ['No fork here.'] }
      })
    });
    expect(types).not.toContain('drafts');
    expect(outcome.stopReason).toBe('no-checks');
    expect(state.warnings.map(w => w.message).join('\n')).toContain(
      'No fork here. Write them yourself'
    );
  });

  it('ends where the model drafts nothing', async () => {
    const { outcome, types } = await run(makeRequest(asks), {
      generator: model('No.'),
      executor: halfGood()
    });
    expect(outcome).toMatchObject({ stopReason: 'model-error' });
    expect(JSON.stringify(outcome)).toContain(
      'The model drafted no assertions: its answer contains no code.'
    );
    expect(types).not.toContain('attempt-start');
  });

  it('ends with an error of the drafting that is not the kernel’s', async () => {
    const { outcome } = await run(makeRequest(asks), {
      generator: model([
        { type: 'throw', error: new RefineError('model', 'No answer.') }
      ]),
      executor: halfGood()
    });
    expect(outcome.stopReason).toBe('model-error');
  });
});
