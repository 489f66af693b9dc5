/** The bytes that scripted sessions send, one session for each rule of the prompts. */
import { FakeExecutor, fakeAssertion } from '../../../testing/fakeExecutor';
import type { Execution } from '../../domain/execution';
import { HOLDOUT_FAILED } from '../../domain/visible';
import {
  checkCell,
  makeRequest,
  PROSE,
  type RequestParts
} from '../../__tests__/requests';
import { answer, model, run } from '../../__tests__/sessions';

type Messages = readonly {
  readonly role: string;
  readonly content: string;
}[];

const AGAIN = 'Do not write the same again: write a cell that is right.';
const AGAIN_PROSE = 'Write the complete corrected text.';
const PASS = '{"evaluation": "PASS", "score": 10, "feedback": []}';
const MORE =
  '{"evaluation": "NEEDS_IMPROVEMENT", "score": 4, "feedback": ["Name the units."]}';

/** Three assertions on `f`; as many hold as the candidate says: `holds = 2`. */
const checked = () =>
  new FakeExecutor(({ candidate }) => {
    const held = Number(/holds = (\d)/.exec(candidate)?.[1] ?? 0);
    return {
      assertions: [1, 2, 3].map(line =>
        fakeAssertion({
          line,
          source: `assert f(${line}) == ${line}`,
          outcome: line <= held ? 'passed' : 'failed',
          expected: value(`${line}`, line),
          observed: value(`f(${line})`, 0)
        })
      )
    };
  });

function value(expression: string, shown: number) {
  return { expression, type: 'int', repr: String(shown) };
}

const prose = { ...PROSE, source: 'Old text.' };

async function play(
  answers: readonly string[],
  parts: RequestParts = {},
  judgements: readonly string[] = [],
  executor: FakeExecutor = checked()
) {
  const generator = model(...answers);
  const judge = model(...judgements);
  const { events, outcome } = await run(makeRequest(parts), {
    generator,
    evaluatorModel: judge,
    executor
  });
  return {
    events,
    outcome,
    prompts: generator.requests.map(r => r.messages as Messages),
    judged: judge.requests.map(r => r.messages as Messages)
  };
}

const last = (messages: Messages | undefined) =>
  messages?.[messages.length - 1]?.content;

const FAILS = [1, 2, 3]
  .map(n => `- \`assert f(${n}) == ${n}\`: observed 0, expected ${n}`)
  .join('\n\n');

it('the first prompt again for a fresh start', async () => {
  const program = (n: number) => answer(`a = ${n}`);
  const { prompts } = await play([1, 2, 3, 4].map(program), {
    options: { maxAttempts: 4 }
  });
  const [first, , third, fourth] = prompts.map(last);
  expect([third, fourth]).toEqual([first, first]);
});

it('a cell with placeholders alone as one that is not written yet', async () => {
  const source = 'import math\n\ndef f(n):\n    raise NotImplementedError';
  const { prompts } = await play(
    [1, 2, 3].map(n => answer(`a = ${n}`)),
    {
      target: { cellId: 'target', index: 1, kind: 'code', source }
    }
  );
  const [first, second] = prompts.map(last);
  expect(first).toContain(`The cell now:\n\n\`\`\`python\n${source}`);
  expect(first).not.toContain('# What the cell gives now');
  expect(second).toContain('An earlier program was wrong.');
});

it('after a program that is wrong throughout, what was expected and observed', async () => {
  const { prompts } = await play([answer('a = 0'), answer('holds = 3')]);
  expect(last(prompts[1])).toContain(
    `\n\nAn earlier program was wrong.\n\n0 of 3 checks hold. These do not:\n\n${FAILS}\n\nWrite the cell in another way.`
  );
});

describe('a model that writes the cell as it was', () => {
  const source = 'def f(n):\n    """The number."""\n    a = 0';
  const copy = answer(source);
  const shown = async (parts: RequestParts) => {
    const { prompts } = await play([copy, copy, answer('holds = 3')], {
      target: { cellId: 'target', index: 1, kind: 'code', source },
      ...parts
    });
    return prompts.map(messages => last(messages) ?? '');
  };

  it('is shown what it defines, and not what it gave', async () => {
    const [first, second] = await shown({});
    expect(first).toContain('a = 0');
    expect(first).toContain('# What the cell gives now');
    expect(second).toContain('def f(n):\n    """The number."""\n```');
    expect(second).not.toContain('a = 0');
    expect(second).not.toContain('# What the cell gives now');
  });

  it('is shown the cell where the task is about it', async () => {
    const [, second] = await shown({
      followUp: { text: 'Faster.', history: [] }
    });
    expect(second).toContain('a = 0');
  });
});

it('an answer without code is asked again, at no attempt’s cost', async () => {
  const { prompts, outcome } = await play(['I cannot.', answer('holds = 3')]);
  expect(prompts[1]?.slice(-2)).toEqual([
    { role: 'assistant', content: 'I cannot.' },
    {
      role: 'user',
      content:
        'The answer contained no code. Write the code block of the cell and nothing else.'
    }
  ]);
  expect(outcome).toMatchObject({ passed: true, attempts: 1 });
});

it('an answer that only repeats the checks is asked for the cell', async () => {
  const pasted = answer('assert fibonacci(1) == 1');
  const { prompts, events } = await play([pasted, pasted]);
  expect(last(prompts[1])).toMatch(
    /^The answer only repeats the checks\. Write the code/
  );
  expect(events.find(e => e.type === 'attempt-end')).toMatchObject({
    failure: { message: 'The answer only repeats the checks.' }
  });
});

it('says so where there was none the second time either', async () => {
  const { prompts } = await play(['No.', 'No.', answer('holds = 3')]);
  expect(last(prompts[2])).toContain('The answer contained no code');
});

it('says of a failed hold-out only that there is one', async () => {
  const holdout = new FakeExecutor(({ candidate }) => ({
    assertions: [
      fakeAssertion({ source: 'assert f(1)', outcome: 'passed' }),
      fakeAssertion({
        id: 'hidden:1',
        cellId: 'hidden',
        role: 'holdout',
        source: 'assert f(30) == 832040',
        outcome: candidate === 'right' ? 'passed' : 'failed'
      })
    ]
  }));
  const { prompts } = await play(
    [answer('a = 0'), answer('right')],
    { holdouts: [checkCell('assert f(30) == 832040', 1, 'holdout')] },
    [],
    holdout
  );
  expect(last(prompts[1])).toContain(
    `All shown checks hold; one that you are not shown fails. Think of cases of the task that the shown checks leave out.\n\n${AGAIN}`
  );
  expect(JSON.stringify(prompts)).not.toMatch(/832040/);
  expect(JSON.stringify(prompts)).not.toContain(HOLDOUT_FAILED);
});

it('says of a target with hold-outs alone that a check fails', async () => {
  const { prompts } = await play(
    [answer('a = 0'), answer('right')],
    {
      assertions: [],
      holdouts: [checkCell('assert f(30) == 832040', 1, 'holdout')]
    },
    [],
    new FakeExecutor(({ candidate }) => ({
      assertions: [
        fakeAssertion({
          cellId: 'hidden',
          role: 'holdout',
          outcome: candidate === 'right' ? 'passed' : 'failed'
        })
      ]
    }))
  );
  expect(last(prompts[1])).toContain(
    `A check that you are not shown fails. Think of all cases of the task.\n\n${AGAIN}`
  );
});

it('passes a judge’s actions on as those of a reviewer', async () => {
  const { prompts } = await play(
    [answer('holds = 3'), answer('holds = 3 # units')],
    { options: { evaluators: ['assertions', 'judge'] } },
    [MORE, PASS]
  );
  expect(last(prompts[1])).toContain(
    `All 3 checks hold. A reviewer still asks:\n- Name the units.\n\n${AGAIN}`
  );
});

it('has no line about checks where there are none', async () => {
  const raises: Partial<Execution> = {
    status: 'error',
    error: { name: 'KeyError', message: "'a'", traceback: '' }
  };
  const { prompts, judged } = await play(
    [answer('a = 0'), answer('b = 0')],
    {
      assertions: [],
      options: { evaluators: ['judge'], maxAttempts: 2 }
    },
    [PASS],
    new FakeExecutor(job => (job.candidate === 'a = 0' ? raises : {}))
  );
  expect(prompts[0]).toEqual([
    {
      role: 'system',
      content:
        'You write one cell of a Jupyter notebook in Python. Answer with one fenced code block that holds the complete cell and nothing after it: no checks, no example calls, no explanation. Never call input(), and install no packages.'
    },
    { role: 'user', content: 'Write the next cell: Write fibonacci(n).' }
  ]);
  expect(last(prompts[1])).toContain(
    `The cell itself raised KeyError: 'a'.\n\n${AGAIN}`
  );
  // No empty criteria either.
  expect(last(judged[0])).toBe(
    '# Task\n\n```\nWrite fibonacci(n).\n```\n\n# Answer\n\n```python\nb = 0\n```\n\n# What running it gave\n\nIt ran.\n\nAnswer with one JSON object: {"reasons": what the answer does, measured against each demand of the task, "feedback": [actions], "score": 0-10, "evaluation": "PASS" or "NEEDS_IMPROVEMENT" or "FAIL", "done": true or false}.'
  );
});

it('puts a fenced slot on lines of its own', async () => {
  const { judged, prompts } = await play(
    [answer('holds = 3')],
    {
      options: {
        evaluators: ['assertions', 'judge'],
        generatorPrompt: 'Do {{task}} so that {{checks}} hold.',
        evaluatorPrompt: 'Is {{answer}} right for {{task}} or not?'
      }
    },
    [PASS]
  );
  expect(last(prompts[0])).toBe(
    'Do Write fibonacci(n). so that \n\n```python\nassert fibonacci(1) == 1\nassert fibonacci(10) == 55\n```\n\n hold.'
  );
  expect(last(judged[0])).toMatch(
    /^Is \n\n```python\nholds = 3\n```\n\n right for \n\n```\nWrite fibonacci\(n\)\.\n```\n\n or not\?\n\nAnswer with one JSON object/
  );
});

it('has the user’s own system text', async () => {
  const { prompts } = await play([answer('a = 0'), answer('holds = 3')], {
    options: {
      systemPrompt: 'You write {{language}}.',
      generatorPrompt: 'Task: {{task}}'
    }
  });
  expect(prompts[0]).toEqual([
    { role: 'system', content: 'You write Python.' },
    { role: 'user', content: 'Task: Write fibonacci(n).' }
  ]);
  expect(prompts[1]?.[0]).toEqual(prompts[0]?.[0]);
});

describe('a text', () => {
  it('has prompts about a text from start to end', async () => {
    const { prompts, judged } = await play(
      ['', 'First text.', 'New text.'],
      {
        target: prose,
        prompt: 'Make it new.',
        assertions: [checkCell('assert "New" in response', 1)],
        options: {
          workflow: 'evaluator-optimizer'
        }
      },
      [PASS],
      new FakeExecutor(({ candidate }) => ({
        assertions: [
          fakeAssertion({
            source: 'assert "New" in response',
            outcome: candidate.includes('New') ? 'passed' : 'failed'
          })
        ]
      }))
    );
    const failed =
      '0 of 1 checks hold. These do not:\n\n- `assert "New" in response`';
    expect(prompts[2]).toEqual([
      {
        role: 'system',
        content:
          'You write the text of one markdown cell of a Jupyter notebook. Your whole answer becomes the text of the cell: no introduction, no remarks about it. The checks read your text as the string `response`.'
      },
      {
        role: 'user',
        content: [
          'The cell now:\n\n```markdown\nOld text.\n```\n\nWrite the text of the cell: Make it new.\n\nIt must pass these checks:\n\n```python\nassert "New" in response\n```',
          `# What the cell gives now\n\n${failed}`,
          'This was tried:\n\n(no text)\n\nThe answer contained no text. Answer with the complete text of the cell.',
          `This was tried:\n\nFirst text.\n\n${failed}`,
          AGAIN_PROSE
        ].join('\n\n')
      }
    ]);
    expect(last(judged[0])).toMatch(
      /^# Task\n\n```\nMake it new\.\n```\n\nThe text at the start:\n\n```markdown\nOld text\.\n```\n\n# Criteria[^#]+# Answer\n\n```\nNew text\.\n```\n\n# What running it gave\n\n1 of 1 assertions hold\.\n\n/
    );
  });

  it('without a prompt, has a task of its own', async () => {
    const { prompts, judged } = await play(
      ['New text.'],
      {
        target: prose,
        prompt: '',
        assertions: [],
        options: { evaluators: ['judge'] }
      },
      [MORE, PASS]
    );
    const task = 'make the text clear and correct. Keep what it says.';
    expect(last(prompts[0])).toContain(`Write the text of the cell: ${task}`);
    expect(last(judged[0])).toMatch(
      new RegExp(
        `^# Task\\n\\n\`\`\`\\n${task}\\n\`\`\`\\n\\nThe text at the start:`
      )
    );
  });
});
