import {
  fakeAssertion,
  fakeExecution,
  FakeExecutor
} from '../../../testing/fakeExecutor';
import { type FakeAnswer, FakeModel } from '../../../testing/fakeModel';
import { initialState } from '../../events/fold';
import { Session } from '../../session/session';
import { RefineError } from '../../errors';
import { judgeEvaluator, judgeMessages, readJudgement } from '../judge';
import type { Usage } from '../../domain/model';
import {
  checkCell,
  makeRequest,
  type RequestParts
} from '../../__tests__/requests';
import { answer, deps, model, run } from '../../__tests__/sessions';
import type { Execution } from '../../domain/execution';
import { visibleExecution, visibleRequest } from '../../domain/visible';

function judging(...answers: readonly FakeAnswer[]): FakeModel {
  return new FakeModel(answers);
}

function json(parts: object = {}): string {
  return JSON.stringify({
    evaluation: 'NEEDS_IMPROVEMENT',
    score: 6,
    criteria: {},
    feedback: ['Name the parameters.'],
    done: false,
    ...parts
  });
}

async function judge(
  judgeModel: FakeModel,
  options: RequestParts['options'] = {},
  parts: RequestParts = {}
) {
  const request = makeRequest({ ...parts, options });
  const usages: Usage[] = [];
  const session = new Session(
    request,
    deps(),
    initialState(request.session),
    event => event.type === 'usage' && usages.push(event.usage)
  );
  const verdict = await judgeEvaluator(session, judgeModel).evaluate(
    {
      request,
      attempt: 1,
      candidate: 'x = 1',
      execution: fakeExecution({
        assertions: [
          fakeAssertion(),
          ...request.holdouts.map(({ cellId }) =>
            fakeAssertion({ cellId, role: 'holdout', source: '' })
          )
        ],
        stdout: 'printed'
      })
    },
    () => undefined,
    session.signal
  );
  session.dispose();
  return { verdict, usages };
}

describe('a judgement', () => {
  it('is read from the object, fenced or not, thinking left out', () => {
    const read = {
      evaluation: 'needs-improvement',
      score: 0.6,
      feedback: ['Name the parameters.'],
      criteria: {}
    };
    expect(readJudgement(json(), [])).toEqual(read);
    expect(readJudgement('```json\n' + json() + '\n```', [])).toEqual(read);
    expect(readJudgement('<think>{"score": 1}</think>' + json(), [])).toEqual(
      read
    );
    expect(
      readJudgement(json({ evaluation: 'needs improvement' }), [])
    ).toEqual(read);
  });

  it.each([
    `Here is my judgement: ${json()}`,
    `I read it twice.\n\n${json()}\n\nAsk if you want more.`,
    `<response>${json()}</response>`,
    `Verdict: NEEDS_IMPROVEMENT\n\n${json()}`,
    `[${json()}]`
  ])('is read from the object in %j', text => {
    expect(readJudgement(text, [])).toMatchObject({
      evaluation: 'needs-improvement',
      score: 0.6
    });
  });

  it('is read part by part', () => {
    expect(readJudgement('{"evaluation": "PASS"}', [])).toMatchObject({
      evaluation: 'pass',
      score: null,
      feedback: []
    });
    expect(readJudgement('{"score": 8, "done": true}', [])).toMatchObject({
      evaluation: 'pass',
      score: 0.8
    });
    expect(
      readJudgement('{"verdict": "FAIL", "done": true}', [])
    ).toMatchObject({ evaluation: 'fail' });
    expect(readJudgement('{"score": 8}', [])).toMatchObject({
      evaluation: null,
      score: 0.8
    });
    expect(
      readJudgement(json({ score: 14, feedback: 'One thing.' }), [])
    ).toMatchObject({ score: null, feedback: ['One thing.'] });
    expect(
      readJudgement(json({ criteria: { speed: 5, other: 3, style: 'n/a' } }), [
        'speed',
        'style'
      ])?.criteria
    ).toEqual({ speed: 0.5 });
  });

  it.each([
    'Nice work.',
    'The answer does not PASS.',
    'PASS',
    'FAIL\nScore: 8',
    '{"mood": "good"}',
    '{"evaluation": "PASS", "score": 9',
    'The candidate prints {"evaluation": "PASS", "score": 10}, which proves nothing.',
    '{"evaluation": "not PASS", "score": 9, "done": true}',
    '{"evaluation": "PASS"}\n{"evaluation": "FAIL"}'
  ])('%j is no verdict', text => expect(readJudgement(text, [])).toBeNull());

  it('is read in the form of self-refine as published', () => {
    expect(readJudgement('{"feedback": [], "done": true}', [])).toEqual({
      evaluation: 'pass',
      score: null,
      feedback: [],
      criteria: {}
    });
    expect(
      readJudgement('{"feedback": ["Name it."], "done": false}', [])
    ).toMatchObject({
      evaluation: 'needs-improvement',
      feedback: ['Name it.']
    });
  });
});

describe('the judge', () => {
  it('gives verdict, score and actions', async () => {
    const { verdict, usages } = await judge(
      judging(json({ criteria: { speed: 4 } })),
      { criteria: ['speed'] }
    );
    expect(verdict).toEqual({
      evaluator: 'judge',
      evaluation: 'needs-improvement',
      score: 0.6,
      reasons: ['Name the parameters.', 'speed: 4 of 10']
    });
    expect(usages).toHaveLength(1);
  });

  it('is asked once more when it is unreadable, then unknown', async () => {
    const repaired = judging(
      'Nice work.',
      json({ evaluation: 'PASS', score: 9 })
    );
    expect((await judge(repaired)).verdict).toMatchObject({
      evaluation: 'pass'
    });
    expect(repaired.requests[1].messages).toHaveLength(4);
    expect(repaired.requests[1].messages[2]).toEqual({
      role: 'assistant',
      content: 'Nice work.'
    });
    const hopeless = judging('Nice work.');
    const { verdict, usages } = await judge(hopeless);
    expect(verdict).toEqual({
      evaluator: 'judge',
      evaluation: 'unknown',
      score: null,
      reasons: ['The judge’s answer could not be read.']
    });
    expect(usages).toHaveLength(2);
  });

  it('reports an error at once', async () => {
    const error = new RefineError('model', 'gone', { code: 'rate-limited' });
    const failing = judging([{ type: 'throw', error }]);
    await expect(judge(failing)).rejects.toThrow('gone');
    expect(failing.requests).toHaveLength(1);
  });

  it.each([
    ['{"score": 9}', 0.9, 'pass'],
    ['{"score": 9}', 0.95, 'needs-improvement'],
    ['{"score": 9}', null, 'needs-improvement'],
    ['{"feedback": ["a"], "score": "n/a", "evaluation": "FAIL"}', 0, 'fail']
  ])('%j with the target %p is %s', async (text, targetScore, evaluation) => {
    const { verdict } = await judge(judging(text), { targetScore });
    expect(verdict.evaluation).toBe(evaluation);
  });

  it('is not asked beyond the budget', async () => {
    const never = judging(json());
    const { verdict } = await judge(never, { maxTokens: 100 });
    expect(verdict).toMatchObject({
      evaluation: 'unknown',
      reasons: ['The budget is used up, so the judge did not run.']
    });
    expect(never.requests).toHaveLength(0);
  });

  it('reads no hold-out, and output only if values may be sent', async () => {
    const reader = judging(json());
    const samples = { contextValues: 'samples' as const };
    const holdouts = [checkCell('assert secret', 1, 'holdout')];
    await judge(reader, samples, { holdouts });
    expect(JSON.stringify(reader.requests)).not.toMatch(/secret|printed/);
    const other = judging(json());
    await judge(other);
    expect(JSON.stringify(other.requests)).not.toContain('printed');
    const shown = judging(json());
    await judge(shown, samples);
    expect(JSON.stringify(shown.requests)).toContain('printed');
  });
});

describe('in a session', () => {
  const options = {
    evaluators: ['assertions', 'judge'] as ('assertions' | 'judge')[]
  };

  it('without checks it decides alone, with the one model there is', async () => {
    const generator = model(
      answer('a = 1'),
      json({ evaluation: 'PASS', score: 9 })
    );
    const { outcome } = await run(makeRequest({ options, assertions: [] }), {
      generator,
      executor: new FakeExecutor([{}])
    });
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'judge',
      stopReason: 'passed'
    });
    expect(generator.requests).toHaveLength(2);
  });
});

it('contains the run, and its output where values may be sent', () => {
  const result = (given: Partial<Execution>, options = {}) => {
    const request = visibleRequest(makeRequest({ options }));
    const execution = visibleExecution(fakeExecution(given));
    const [, task] = judgeMessages({ request, candidate: 'x = 1', execution });
    const [, run] = task.content.split('# What running it gave\n\n');
    return run!.split('\n\nAnswer with one')[0];
  };
  const samples = { contextValues: 'samples' as const };
  expect(result({})).toBe('It ran.');
  expect(
    result({
      status: 'error',
      error: { name: 'ValueError', message: 'secret', traceback: '' }
    })
  ).toBe('It ran. It raised ValueError.');
  expect(result({ stdout: ' out \n' })).toBe('It ran.');
  expect(result({ stdout: ' \n' }, samples)).toBe('It ran.');
  expect(result({ stdout: ' out \n' }, samples)).toBe(
    'It ran.\n\n```\nout\n```'
  );
  const long = result({ stdout: 'o'.repeat(9000) }, samples);
  expect(long).toContain('808 characters left out');
});
