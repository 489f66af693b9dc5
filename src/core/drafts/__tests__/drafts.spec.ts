/** @jest-environment node */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import { FakeModel } from '../../../testing/fakeModel';
import { chosenSource, draftAssertions } from '../drafts';
import type { AssertionResult, ExecutionError } from '../../domain/execution';
import type { ExecutionJob } from '../../domain/executor';
import { makeRequest } from '../../__tests__/requests';

const raised = (name: string, message: string): ExecutionError => ({
  name,
  message,
  traceback: `${name}: ${message}`
});

/** A kernel of one-line assertions: `holds` says of each whether it holds for a candidate. */
function kernel(
  holds: (source: string, candidate: string) => boolean | ExecutionError
) {
  return new FakeExecutor((job: ExecutionJob) => ({
    assertions: (job.assertions[0]?.source ?? '')
      .split('\n')
      .map((source, index) => ({ source, line: index + 1 }))
      .filter(({ source }) => source.startsWith('assert'))
      .map(({ source, line }): AssertionResult => {
        const held = holds(source, job.candidate);
        return fakeAssertion({
          line,
          source,
          ...(held === true
            ? {}
            : held === false
              ? { outcome: 'failed' }
              : { outcome: 'error', error: held })
        });
      })
  }));
}

function draft(
  source: string,
  executor: FakeExecutor,
  parts: Parameters<typeof makeRequest>[0] = {}
) {
  const model = new FakeModel([`\`\`\`python\n${source}\n\`\`\``]);
  const drafts = draftAssertions(makeRequest({ assertions: [], ...parts }), {
    model,
    executor,
    signal: new AbortController().signal,
    onCall: () => undefined
  });
  return { model, drafts };
}

it('offers what fails on a stub, and names what always holds', async () => {
  const executor = kernel((source, candidate) =>
    source.includes('callable')
      ? true
      : candidate.includes('fibonacci =')
        ? false
        : raised('NameError', "name 'fibonacci' is not defined")
  );
  const { drafts } = draft(
    'assert fibonacci(10) == 55\nassert callable(fibonacci)',
    executor
  );
  expect((await drafts).assertions).toEqual([
    {
      line: 1,
      source: 'assert fibonacci(10) == 55',
      problem: null
    },
    {
      line: 2,
      source: 'assert callable(fibonacci)',
      problem: 'It passes on a cell that does nothing.'
    }
  ]);
  expect(executor.jobs.map(job => job.candidate)).toContain(
    'fibonacci = lambda *args, **kwargs: None'
  );
});

it('checks the cell, not a function that the draft brings with it', async () => {
  const executor = kernel(() => false);
  const { drafts } = draft(
    'import math\nfrom sympy import fibonacci\ndef fibonacci(n):\n    return 55\ndef near(a, b):\n    return a == b\nassert near(fibonacci(10), 55)',
    executor,
    { prompt: 'Write fibonacci(n) with math.' }
  );
  const { source, assertions } = await drafts;
  expect(source.match(/^(?:import|from|def).*/gm)).toEqual([
    'import math',
    'def near(a, b):'
  ]);
  expect(assertions).toMatchObject([{ problem: null }]);
});

it('does not take an import that the draft forgot for a failure', async () => {
  const { drafts } = draft(
    'assert np.isclose(fibonacci(2), 1)',
    kernel(() => raised('NameError', "name 'np' is not defined"))
  );
  expect((await drafts).assertions[0]).toMatchObject({
    problem: 'It uses np, which neither the kernel nor the task knows.'
  });
});

it.each([
  'It should return 55 for n = 10.',
  'assert that it returns 55',
  'The checks:\n\nIt asserts that 55 comes out.'
])('refuses prose that is offered as code: %s', async prose => {
  const executor = new FakeExecutor(() => ({
    assertions: [
      fakeAssertion({
        source: prose,
        outcome: 'error',
        error: raised('SyntaxError', 'invalid syntax')
      })
    ]
  }));
  const { drafts } = draft(prose, executor);
  await expect(drafts).rejects.toThrow(
    'The model drafted no assertions: its answer cannot be read (invalid syntax).'
  );
  expect(executor.jobs).toHaveLength(2);
});

it('reads as many as it asks for, and ends the call then', async () => {
  const lines = Array.from({ length: 40 }, (_, n) => `assert f(${n}) == ${n}`);
  const calls: { readonly answer: string }[] = [];
  const executor = kernel(() => false);
  const chunks = lines.map(line => ({
    type: 'text' as const,
    text: `${line}\n`
  }));
  const drafts = await draftAssertions(makeRequest({ assertions: [] }), {
    model: new FakeModel([
      [{ type: 'text' as const, text: '```python\n' }, ...chunks]
    ]),
    executor,
    signal: new AbortController().signal,
    onCall: (_, call) => calls.push(call)
  });
  expect(drafts.assertions.map(drafted => drafted.source)).toEqual(
    lines.slice(0, 8)
  );
  expect(calls[0].answer).not.toContain('f(9)');
});

it.each([
  ['code', 'def add(a, b):\n    return a + b', 'a + b'],
  ['markdown', 'A text of a + b.', '"A text of a + b."']
] as const)(
  'reports assertions that fail on the target, not stubs (%s)',
  async (kind, source, part) => {
    const executor = kernel(
      (text, candidate) =>
        text.includes('callable') || !candidate.includes(part)
    );
    const { drafts } = draft(
      'assert not add(1, 2)\nassert callable(add)',
      executor,
      {
        target: { cellId: 't', index: 0, kind, source }
      }
    );
    expect((await drafts).assertions).toMatchObject([
      { problem: 'It passes on a cell that does nothing.', contradicted: {} },
      { problem: 'It passes on a cell that does nothing.' }
    ]);
  }
);

it('sends no hold-out to the model, and asks for checks only', async () => {
  const { model, drafts } = draft(
    'assert fibonacci(1) == 1',
    kernel(() => false),
    {
      holdouts: [
        {
          cellId: 'h',
          index: 3,
          role: 'holdout',
          source: 'assert fibonacci(30) == 832040',
          statements: 1
        }
      ]
    }
  );
  await drafts;
  const sent = JSON.stringify(model.requests);
  expect(sent).toContain('Write fibonacci(n).');
  expect(sent).not.toContain('832040');
});

it('leaves the set-up between chosen statements in its place', () => {
  const source = [
    'import math',
    'assert f(1) == 1',
    'n = 3',
    'assert f(',
    '    n',
    ') == 6',
    'assert f(0) == math.e'
  ].join('\n');
  const drafted = (line: number, text: string) => ({
    line,
    source: text,
    problem: null
  });
  const drafts = {
    source,
    assertions: [
      drafted(2, 'assert f(1) == 1'),
      drafted(4, 'assert f(\n    n\n) == 6'),
      drafted(7, 'assert f(0) == math.e')
    ]
  };
  expect(chosenSource(drafts, [2, 7])).toBe(
    'import math\nassert f(1) == 1\nn = 3\nassert f(0) == math.e'
  );
});
