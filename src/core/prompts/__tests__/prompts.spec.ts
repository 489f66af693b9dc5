import fc from 'fast-check';
import { fenced, fenceFor } from '../../text/markdown';
import { parseAnswer } from '../../parse/parse';
import { assemblePrompt, buildMessages, EMPTY_MEMORY } from '../prompts';
import { describeVariable, metricText } from '../task';
import {
  checkCell,
  makeRequest,
  PROSE,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';
import { visibleRequest } from '../../domain/visible';

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
  });

  it('holds nothing of a hold-out, and no path', () => {
    const sent = JSON.stringify(buildMessages(request));
    expect(sent).not.toMatch(/832040|secret|hidden|held|ipynb/);
  });

  it('leaves out sections without content', () => {
    const text = task(makeRequest({ assertions: [], prompt: '' }));
    expect(text).toBe(
      'Write the next cell: make the cell run without error and do what it is meant to do.'
    );
    expect(task(makeRequest({ prompt: ' ' }))).toContain(
      'make the checks below hold.'
    );
  });

  it('does not repeat a cell that is only the prompt', () => {
    const source = '# Write fibonacci(n).\n';
    expect(task(makeRequest({ source }))).not.toContain('The cell now');
    expect(task(makeRequest({ source, promptOrigin: 'panel' }))).toContain(
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
    expect(r[0].content).not.toContain('input()');
    const target = { ...PROSE, source: 'Old.' };
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
  const codes = ['holds = 2', 'b = 0', 'c = 0', 'd = 0', 'e = 0'];

  it('begin with the same bytes', async () => {
    const generator = model(...codes.map(code => answer(code)));
    await run(makeRequest({ options: { maxAttempts: 5 }, source: 'x = 0' }), {
      generator
    });
    const first = generator.requests[0].messages;
    expect(generator.requests).toHaveLength(5);
    for (const { messages } of generator.requests) {
      expect(messages[0]).toEqual(first[0]);
      expect(messages[1].content.startsWith(first[1].content)).toBe(true);
    }
  });

  it('hold code and what it gave, and no prose of the model', async () => {
    const long = `holds = 1${'\n# more'.repeat(15)}`;
    const generator = model(answer(long, 'I try.'), answer('holds = 3'));
    await run(makeRequest({ options: { maxAttempts: 2 } }), { generator });
    const { messages } = generator.requests[1];
    expect(messages.map(m => m.role)).toEqual(['system', 'user']);
    expect(messages[1].content).toMatch(
      /\n\nThis was tried:\n\n```python\nholds = 1\n(?:# more\n)+```\n\n1 of 2 checks hold[^]*\n\nDo not write the same again: write a cell that is right\.$/
    );
    expect(messages[1].content).not.toContain('I try.');
  });
});

it('cells above go first where the prompt has too little room', () => {
  const cells = [1, 2, 3].map(index => ({
    cellId: `c${index}`,
    index,
    kind: 'code' as const,
    source: `x${index} = "${'a'.repeat(400)}"`,
    cut: false
  }));
  const request = makeRequest({
    context: {
      cells,
      cellsLeftOut: 0,
      variables: [{ name: 'df', type: 'DataFrame' }],
      values: 'types'
    }
  });
  const names = (room: number) =>
    ['x1', 'x2', 'x3', 'df', 'fibonacci(10)'].filter(name =>
      assemblePrompt(request, EMPTY_MEMORY, room).messages[1].content.includes(
        name
      )
    );
  expect(names(Infinity)).toHaveLength(5);
  expect(names(500)).toEqual(['x2', 'x3', 'df', 'fibonacci(10)']);
  expect(names(160)).toEqual(['df', 'fibonacci(10)']);
  expect(names(1)).toEqual(['fibonacci(10)']);
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

describe('what a scorer measures', () => {
  const SCORE = 'def score(ns):\n    return ns["predict"](X_test)';
  const scorer = (...lines: readonly string[]) => ({
    cellId: 'scorer',
    index: 3,
    source: [...lines, SCORE].join('\n')
  });

  function prompt(lines: readonly string[], parts: RequestParts = {}) {
    return metricText(
      visibleRequest(
        makeRequest({ assertions: [], scorer: scorer(...lines), ...parts })
      )
    );
  }

  it('contains unit, direction and target, not its source', () => {
    const request = makeRequest({
      scorer: scorer('goal = "min"', 'name = "rmse"', "unit = 'EUR'"),
      hiddenData: ['X_test'],
      options: { targetScore: 4.0000001 }
    });
    const [system, task, ...rest] = buildMessages(request);
    expect(rest).toEqual([]);
    expect(task.content).toContain(
      '\n\nWhat holds the checks is measured by a scorer that you do not see: rmse in EUR; less is better. The target is 4 EUR.'
    );
    for (const hidden of ['X_test', 'def score', 'goal =']) {
      expect(system.content + task.content).not.toContain(hidden);
    }
  });

  it('is empty where nothing is measured', () => {
    expect(metricText(visibleRequest(makeRequest()))).toBe('');
    expect(prompt(['name = "rmse"'], { language: 'r' })).toBe('');
    expect(buildMessages(makeRequest())[1].content).not.toContain('measured');
  });

  it('of a text, and with a target without a unit', () => {
    expect(prompt([], { target: PROSE, options: { targetScore: 0 } })).toBe(
      'The text is measured by a scorer that you do not see: score; more is better. The target is 0.'
    );
  });

  it('has a slot in a prompt of the user’s own', () => {
    const request = makeRequest({
      scorer: scorer(),
      options: { generatorPrompt: '{{task}} / {{metric}}' }
    });
    expect(buildMessages(request)[1].content).toBe(
      'Write fibonacci(n). / What holds the checks is measured by a scorer that you do not see: score; more is better.'
    );
  });
});
