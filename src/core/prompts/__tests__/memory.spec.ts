/** What a prompt says of the attempts before it, word for word. */
import {
  assembleMemory,
  EMPTY_MEMORY,
  memoryOf,
  type PromptMemory,
  type RememberedAttempt
} from '../memory';
import { buildMessages } from '../prompts';
import { makeRequest } from '../../__tests__/requests';
import { attemptOf, stateOf, verdictOf } from '../../__tests__/states';
import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';

const PREFIX = [
  { role: 'system' as const, content: 'SYSTEM' },
  { role: 'user' as const, content: 'TASK' }
];
const AGAIN = 'Do not write the same again.';
const ANEW = 'Write it in another way.';

function remembered(
  attempt: number,
  parts: Partial<RememberedAttempt> = {}
): RememberedAttempt {
  return {
    attempt,
    code: `x = ${attempt}`,
    thoughts: `Thought ${attempt}.`,
    feedback: `Feedback ${attempt}.`,
    title: `Title ${attempt}`,
    hints: [],
    ...parts
  };
}

const assemble = (
  style: 'all' | 'compact' | 'best',
  attempts: readonly RememberedAttempt[],
  parts: Partial<PromptMemory> = {}
) =>
  assembleMemory(PREFIX, { ...EMPTY_MEMORY, attempts, ...parts }, style, {
    show: code => `<${code}>`,
    thoughts: true,
    nothing: '(no code)',
    again: AGAIN,
    anew: ANEW
  });

/** The turns after the system message, as `role: content`. */
const turns = (...args: Parameters<typeof assemble>) =>
  assemble(...args)
    .messages.slice(1)
    .map(({ role, content }) => `${role}: ${content}`);

const [one, two, three] = [1, 2, 3].map(n => remembered(n));

it('nothing is added to the first prompt', () => {
  for (const style of ['all', 'compact', 'best'] as const) {
    expect(assemble(style, [])).toEqual({ messages: PREFIX, shown: null });
  }
});

it('what the cell gives now joins the task', () => {
  const start = remembered(0, { feedback: 'NameError.' });
  expect(turns('compact', [start])).toEqual([
    'user: TASK\n\n# What the cell gives now\n\nNameError.'
  ]);
  expect(turns('all', [start])).toEqual([
    'user: TASK\n\n# What the cell gives now\n\nNameError.'
  ]);
  expect(turns('all', [remembered(0, { feedback: '' })])).toEqual([
    'user: TASK'
  ]);
});

it('all: every attempt in order, a hint where it was sent first', () => {
  const attempts = [one, remembered(2, { hints: ['h1'] }), three];
  expect(turns('all', attempts, { best: 2, hints: ['h1', 'h2'] })).toEqual([
    'user: TASK',
    'assistant: Thought 1.\n\n<x = 1>',
    `user: Feedback 1.\n\n${AGAIN}\n\nHints from the user:\n- h1`,
    'assistant: Thought 2.\n\n<x = 2>',
    `user: Feedback 2.\n\n${AGAIN}`,
    'assistant: Thought 3.\n\n<x = 3>',
    `user: Feedback 3.\n\n${AGAIN}\n\nHints from the user:\n- h2`
  ]);
});

it('compact: best, last, a line for each other, all hints', () => {
  expect(
    turns('compact', [one, two, three], { best: 1, hints: ['h1', 'h2'] })
  ).toEqual([
    [
      'user: TASK',
      'The best so far:',
      'Thought 1.\n\n<x = 1>',
      'Feedback 1.',
      'This was tried:',
      'Thought 3.\n\n<x = 3>',
      'Feedback 3.',
      'Other attempts so far:\n- attempt 2: Title 2',
      'Hints from the user:\n- h1\n- h2',
      AGAIN
    ].join('\n\n')
  ]);
  const [only] = turns('compact', [one, two, three], { best: 3 });
  expect(only).toContain(
    'TASK\n\nThis was tried:\n\nThought 3.\n\n<x = 3>\n\nFeedback 3.\n\nOther attempts so far:\n- attempt 1: Title 1\n- attempt 2: Title 2'
  );
});

it('of an unshown program, only what it gave', () => {
  const wrong = (attempt: number) => remembered(attempt, { unshown: true });
  expect(turns('compact', [wrong(1)], { best: 1 })).toEqual([
    `user: TASK\n\nAn earlier program was wrong.\n\nFeedback 1.\n\n${ANEW}`
  ]);
  const [after] = turns('compact', [one, wrong(2)], { best: 1 });
  expect(after).toContain('<x = 1>');
  expect(after).not.toContain('<x = 2>');
});

it('best: the best alone, else the last', () => {
  const [best] = turns('best', [one, two], { best: 1 });
  expect(best).toContain('<x = 1>');
  expect(best).not.toContain('<x = 2>');
  const [last] = turns('best', [one, two]);
  expect(last).toContain('<x = 2>');
});

it('a fresh start is fresh, but for hints', () => {
  for (const style of ['all', 'compact', 'best'] as const) {
    expect(
      turns(style, [one, two], { best: 1, since: 3, hints: ['h'] })
    ).toEqual(['user: TASK\n\nHints from the user:\n- h']);
  }
  const after = turns('all', [one, two], { best: 1, since: 2 });
  expect(after[1]).toContain('<x = 2>');
  expect(after).toHaveLength(3);
});

it('an attempt without thoughts, code or feedback says so', () => {
  const answers = (parts: Partial<RememberedAttempt>) =>
    turns('all', [remembered(1, parts)]).slice(1);
  expect(answers({ thoughts: '' })[0]).toBe('assistant: <x = 1>');
  expect(answers({ code: '' })[0]).toBe('assistant: Thought 1.');
  expect(answers({ code: '', thoughts: '' })[0]).toBe('assistant: (no code)');
  expect(answers({ feedback: '' })[1]).toBe(
    `user: It did not pass.\n\n${AGAIN}`
  );
  expect(answers({ thoughts: 't'.repeat(700) })[0].length).toBeLessThan(640);
});

it('a line has the outcome of the visible checks', () => {
  const [half, held] = memoryOf(
    stateOf([
      attemptOf(1, {
        title: 'T',
        execution: fakeExecution({
          assertions: [
            fakeAssertion({ source: 'assert f(0) == 0' }),
            fakeAssertion({ source: 'assert f(1) == 2', outcome: 'failed' })
          ]
        })
      }),
      attemptOf(2, {
        execution: fakeExecution({
          assertions: [
            fakeAssertion(),
            fakeAssertion({
              role: 'holdout',
              source: 'assert f(9)',
              outcome: 'failed'
            })
          ]
        })
      })
    ])
  ).attempts;
  expect(half.outcome).toBe('1 of 2, fails f(1) == 2');
  expect(held.outcome).toBe('1 of 1, fails a check that is not shown');
  const lines = turns(
    'compact',
    [remembered(1, { outcome: half.outcome, title: 't'.repeat(200) }), two],
    { best: 2 }
  );
  expect(lines[0]).toMatch(
    /\n- attempt 1: 1 of 2, fails f\(1\) == 2: t{119}…\n/
  );
});

it('a prose target is asked for prose again', () => {
  const request = makeRequest({
    target: { cellId: 't', index: 0, kind: 'markdown', source: '' }
  });
  const messages = buildMessages(request, {
    ...EMPTY_MEMORY,
    attempts: [remembered(1)]
  });
  expect(messages.at(-1)?.content).toContain(
    'Write the complete corrected text.'
  );
});

it('a value that was measured is shown with the title', () => {
  const metric = { name: 'RMSE', value: 4.25, goal: 'min' as const, unit: 'm' };
  const titles = memoryOf(
    stateOf([
      attemptOf(1, { title: 'T', verdict: verdictOf({ metric }) }),
      attemptOf(2, {
        verdict: verdictOf({ metric, evaluation: 'pass' })
      }),
      attemptOf(3, { title: 'T', verdict: null })
    ])
  ).attempts;
  expect(titles.map(a => a.title)).toEqual([
    'RMSE 4.25 m: T',
    'RMSE 4.25 m',
    'T'
  ]);
});

describe('the limit', () => {
  // 4 characters are a token, of which all attempts together have 16,000.
  const sized = (attempt: number, tokens: number) =>
    remembered(attempt, {
      thoughts: '',
      code: 'c'.repeat(tokens * 4 - 2),
      feedback: ''
    });

  it('marks all of them as shortened', () => {
    const { messages } = assemble('all', [sized(1, 8001), sized(2, 8000)]);
    expect(messages).toHaveLength(4);
    expect(messages[3].content).toBe(
      `It did not pass.\n\nOther attempts so far:\n- attempt 1: Title 1\n\n${AGAIN}`
    );
  });
});

describe('what is remembered of a session', () => {
  it('is what has ended and has something to report', () => {
    const failure = (code: string) => ({ code, message: 'm' });
    const state = stateOf(
      [
        attemptOf(1, {
          feedback: { strategy: 'raw', text: 'F' },
          hints: ['h']
        }),
        attemptOf(2, { failure: failure('no-code') }),
        attemptOf(3, { failure: failure('truncated') }),
        attemptOf(4, { failure: failure('stopped') }),
        attemptOf(5, { phase: 'judging' })
      ],
      { best: 1, hints: ['h'], restarts: [2, 3] }
    );
    const memory = memoryOf(state);
    expect(memory).toMatchObject({ best: 1, hints: ['h'], since: 3 });
    expect(memory.attempts.map(a => a.attempt)).toEqual([1, 2, 3]);
    expect(memory.attempts[0]).toMatchObject({
      attempt: 1,
      code: 'x = 1',
      thoughts: '',
      feedback: 'F',
      title: '',
      hints: ['h']
    });
    expect(memory.attempts[1]).toMatchObject({ feedback: '', hints: [] });
  });
});
