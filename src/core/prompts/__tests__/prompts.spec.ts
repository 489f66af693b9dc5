import fc from 'fast-check';
import { fenced, fenceFor } from '../../text/fence';
import { parseAnswer } from '../../parse/parse';
import { buildMessages, EMPTY_MEMORY, memoryOf } from '../prompts';
import { describeVariable } from '../task';
import { checkCell, makeRequest } from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

const task = (...args: Parameters<typeof buildMessages>) =>
  buildMessages(...args)[1].content;

describe('the first prompt', () => {
  const request = makeRequest({
    source: '# Write fibonacci(n).\ndef fibonacci(n):\n    ...\n',
    holdouts: [checkCell('assert fibonacci(30) == 832040', 1, 'holdout')],
    context: {
      cells: [
        {
          cellId: 'a',
          index: 0,
          kind: 'code',
          source: 'import math',
          cut: false
        },
        {
          cellId: 'b',
          index: 1,
          kind: 'markdown',
          source: '# Numbers',
          cut: true
        },
        {
          cellId: 'hidden',
          index: 2,
          kind: 'code',
          source: 'assert secret',
          cut: false
        }
      ],
      cellsLeftOut: 3,
      variables: [{ name: 'df', type: 'pandas.DataFrame', shape: [12, 3] }],
      values: 'types'
    }
  });

  it('is system and task, the same on every call', () => {
    expect(buildMessages(request, EMPTY_MEMORY).map(m => m.role)).toEqual([
      'system',
      'user'
    ]);
    expect(buildMessages(request)).toEqual(
      buildMessages(request, EMPTY_MEMORY)
    );
  });

  it('holds task, checks, context, variables and the cell', () => {
    const text = task(request);
    for (const part of [
      'Write fibonacci(n).',
      'assert fibonacci(10) == 55',
      '```python\nimport math\n```',
      '```markdown\n# Numbers\n```\n(shortened)',
      '3 further up left out',
      '- df: pandas.DataFrame, shape [12, 3]',
      'def fibonacci(n):\n    ...'
    ]) {
      expect(text).toContain(part);
    }
    expect(buildMessages(request)[0].content).toContain('Python');
    expect(buildMessages(request)[0].content).toContain('```python');
  });

  it('holds nothing of a hold-out, and no path', () => {
    const sent = JSON.stringify(buildMessages(request));
    expect(sent).not.toMatch(/832040|secret|hidden|held|ipynb/);
  });

  it('leaves out sections without content', () => {
    const text = task(makeRequest({ assertions: [], prompt: '' }));
    expect(text).toBe(
      '# Task\n\nMake the cell below run without error and do what it is meant to do.'
    );
    expect(task(makeRequest({ prompt: ' ' }))).toContain(
      'Make the checks below hold.'
    );
  });

  it('does not repeat a cell that is only the prompt', () => {
    const source = '# Write fibonacci(n).\n';
    expect(task(makeRequest({ source }))).not.toContain('The cell now');
    expect(task(makeRequest({ source, prompt: 'Another.' }))).toContain(
      'The cell now'
    );
  });

  it('leaves the %%refine line to the loop', () => {
    const text = task(
      makeRequest({ source: '%%refine max-attempts=3\nx = 1' })
    );
    expect(text).not.toContain('%%refine');
    expect(text).toContain('```python\nx = 1\n```');
  });

  it('names the kernel’s language, and prose for markdown', () => {
    const r = buildMessages(makeRequest({ language: 'r' }));
    expect(r[0].content).toContain('in R.');
    expect(r[0].content).not.toContain('IPython');
    const target = {
      cellId: 't',
      index: 0,
      kind: 'markdown' as const,
      source: 'Old.'
    };
    const prose = buildMessages(makeRequest({ target }));
    expect(prose[0].content).toContain('markdown cell');
    expect(prose[1].content).toContain('```markdown\nOld.\n```');
  });
});

it.each([
  [
    { name: 'f', type: 'function', signature: '(n: int) -> int', doc: 'Sum.' },
    'f: function(n: int) -> int, "Sum."'
  ],
  [
    {
      name: 'df',
      type: 'DataFrame',
      shape: [2, 1],
      columns: [['a "b"', 'int64']]
    },
    'df: DataFrame, shape [2, 1], columns "a \\"b\\"" (int64)'
  ],
  [
    { name: 'x', type: 'list', length: 3, sample: '[1, 2, 3]' },
    'x: list, length 3, value [1, 2, 3]'
  ],
  [
    { name: 'v', type: 'ndarray', shape: [3], dtype: 'float64' },
    'v: ndarray, shape [3], dtype float64'
  ],
  [
    { name: 'api_key', type: 'str', redacted: true, sample: 'sk-1' },
    'api_key: not sent'
  ]
] as const)('describes %j', (variable, line) => {
  expect(
    describeVariable(variable as Parameters<typeof describeVariable>[0])
  ).toBe(line);
});

describe('later prompts', () => {
  const options = { maxAttempts: 5, restartAfter: 50 };
  const codes = ['holds = 2', 'b = 0', 'c = 0', 'd = 0', 'e = 0'];

  it('begin with the same bytes', async () => {
    const generator = model(...codes.map(code => answer(code)));
    await run(makeRequest({ options, source: 'x = 0' }), { generator });
    const first = generator.requests[0].messages;
    for (const { messages } of generator.requests) {
      expect(messages.slice(0, 2)).toEqual(first);
    }
  });

  it('hold the best and the last candidate as answers, in turns', async () => {
    const generator = model(
      ...codes.map((code, i) => answer(code, `Thought ${i + 1}.`))
    );
    await run(makeRequest({ options }), { generator });
    const { messages } = generator.requests[3];
    expect(messages.map(m => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
      'assistant',
      'user'
    ]);
    expect(messages[2].content).toBe('Thought 1.\n\n```python\nholds = 2\n```');
    expect(messages[3].content).toMatch(/^This is the best attempt so far/);
    expect(messages[4].content).toContain('c = 0');
    expect(messages[5].content).toContain(
      '- attempt 2: 0 of 2, fails f(1): Thought 2'
    );
    const all = messages.map(m => m.content).join();
    expect(all).not.toContain('b = 0');
  });

  it('contain an attempt once when the last is the best', async () => {
    const generator = model(answer('a = 0'), answer('holds = 1'), answer('x'));
    const { state } = await run(makeRequest({ options: { maxAttempts: 3 } }), {
      generator
    });
    expect(generator.requests[2].messages.map(m => m.role)).toEqual([
      'system',
      'user',
      'assistant',
      'user'
    ]);
    expect(memoryOf(state)).toMatchObject({ best: 2, attempts: { length: 3 } });
  });
});

it('a fence cannot be closed by its content', () => {
  const ticks = fc
    .array(fc.constantFrom('`', '``', '```', '`````', 'x', '\n', ' ', '~~~'), {
      maxLength: 12
    })
    .map(p => p.join(''));
  fc.assert(
    fc.property(ticks, content => {
      const fence = fenceFor(content);
      expect(content).not.toContain(fence);
      const code = `first = 1\n${content}\nlast = 2`;
      expect(
        // Python would be repaired.
        parseAnswer(fenced(code, 'julia'), {
          language: 'julia',
          kind: 'code'
        }).code
      ).toBe(code);
    })
  );
});
