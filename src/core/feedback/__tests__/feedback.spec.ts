import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import type {
  Execution,
  ExecutionError,
  ObservedValue
} from '../../domain/execution';
import { buildFeedback, feedbackStrategy } from '../feedback';
import { FEEDBACK_LIMIT } from '../parts';
import type { ContextValues, FeedbackName } from '../../settings';
import type { RefineRequest } from '../../domain/request';
import type { AttemptState } from '../../events/state';
import { visibleAttempt, visibleRequest } from '../../domain/visible';
import { makeRequest } from '../../__tests__/requests';
import { attemptOf as endedAttempt } from '../../__tests__/states';

const CODE = 'def fibonacci(n):\n    return n / 0';

function attemptOf(
  execution: Partial<Execution> | null,
  parts: Partial<AttemptState> = {}
): AttemptState {
  return endedAttempt(1, {
    code: CODE,
    execution: execution && fakeExecution(execution),
    verdict: null,
    ...parts
  });
}

function feedback(
  name: FeedbackName,
  execution: Partial<Execution> | null,
  parts: {
    request?: RefineRequest;
    attempt?: Partial<AttemptState>;
    earlier?: readonly AttemptState[];
  } = {}
): string {
  return feedbackStrategy(name).build({
    request: visibleRequest(parts.request ?? makeRequest()),
    attempt: visibleAttempt(attemptOf(execution, parts.attempt)),
    earlier: (parts.earlier ?? []).map(visibleAttempt)
  });
}

const withValues = (contextValues: ContextValues, rest = {}) =>
  makeRequest({ ...rest, options: { contextValues } });

const error: ExecutionError = {
  name: 'ZeroDivisionError',
  message: 'division by zero',
  traceback:
    'Traceback (most recent call last):\n  cell, line 2\nZeroDivisionError: division by zero',
  candidateLine: 2,
  locals: [
    { name: 'n', type: 'int', repr: '7' },
    { name: 'df', type: 'DataFrame', shape: '(3, 2)' }
  ]
};
const compared = fakeAssertion({
  line: 2,
  source: 'assert fibonacci(10) == 55',
  outcome: 'failed',
  operator: '==',
  expected: { expression: '55', type: 'int', repr: '55' },
  observed: { expression: 'fibonacci(10)', type: 'float', repr: '54.0' }
});
const all: readonly FeedbackName[] = ['auto', 'raw', 'diff', 'locals'];

describe.each(all)('%s', name => {
  it('reports all failing assertions at once, and none that held', () => {
    const text = feedback(name, {
      assertions: [
        fakeAssertion({ line: 1, source: 'assert fibonacci(1) == 1' }),
        compared,
        fakeAssertion({
          line: 3,
          source: 'assert fibonacci(0) == 0',
          outcome: 'error',
          difference: 'not evaluated',
          error
        })
      ]
    });
    expect(text).toContain('fibonacci(10)');
    expect(text).toContain('assert fibonacci(0) == 0');
    expect(text).toContain('ZeroDivisionError: division by zero');
    expect(text).not.toContain('assert fibonacci(1) == 1');
    // What was raised says all.
    expect(text).not.toContain('not evaluated');
  });

  it('reports what the candidate raised', () => {
    expect(feedback(name, { status: 'error', error })).toContain(
      'ZeroDivisionError: division by zero'
    );
  });

  it('reports why it was ended, and where it was', () => {
    const text = feedback(name, {
      status: 'cut',
      stop: 'timeout',
      stopMessage: 'timeout: limit 2 s, used 2.0 s, in line 3',
      stack: 'File cell, line 3'
    });
    expect(text).toContain('limit 2 s, used 2.0 s, in line 3.');
    expect(text).toContain('File cell, line 3');
  });

  it('reports denials and tampering', () => {
    const text = feedback(name, {
      assertions: [compared],
      denied: ['tried to reach example.org:443'],
      tampering: ['`len` was replaced']
    });
    expect(text).toContain('tried to reach example.org:443');
    expect(text).toContain('`len` was replaced');
  });

  it('asks for code where there was none', () => {
    const failed = (code: string) =>
      feedback(name, null, {
        attempt: { failure: { code, message: 'Reason.' } }
      });
    expect(failed('no-code')).toContain('```python');
    expect(failed('truncated')).toContain('token limit');
    expect(failed('strange')).toBe('Nothing was run: Reason.');
  });

  it('has nothing to say of a run without failure', () => {
    expect(feedback(name, { assertions: [fakeAssertion()] })).toBe('');
  });

  it('stays within its limit', () => {
    const long = 'x'.repeat(20000);
    const many = Array.from({ length: 40 }, (_, line) =>
      fakeAssertion({
        line,
        source: `assert f("${long}")`,
        outcome: 'error',
        error: { ...error, message: long, traceback: long },
        difference: long
      })
    );
    const text = feedback(name, {
      assertions: many,
      stack: long,
      denied: [long]
    });
    expect(text.length).toBeLessThanOrEqual(FEEDBACK_LIMIT);
    expect(text).toContain('characters left out');
  });

  it('reports no values where none may be sent', () => {
    const secret: ExecutionError = {
      ...error,
      name: 'ValueError',
      message: 'row 4711',
      traceback: 'row 4711',
      locals: [{ name: 'n', type: 'int', repr: '4711' }]
    };
    const text = feedback(
      name,
      {
        assertions: [
          {
            ...compared,
            outcome: 'error',
            observed: { expression: 'f(1)', type: 'int', repr: '4711' },
            difference: '4711',
            error: secret
          }
        ]
      },
      { request: withValues('none') }
    );
    expect(text).not.toContain('4711');
    expect(text).toContain('ValueError');
    const name_ = {
      ...error,
      name: 'NameError',
      message: "name 'x' is not defined"
    };
    expect(
      feedback(
        name,
        { status: 'error', error: name_ },
        { request: withValues('none') }
      )
    ).toContain("name 'x' is not defined");
  });
});

describe('diff', () => {
  it('reports shapes, operands and what differs', () => {
    const result = {
      ...compared,
      observed: {
        expression: 'out',
        type: 'DataFrame',
        repr: '   a\n0  1',
        shape: '(1, 1)',
        dtype: 'int64'
      },
      operands: [{ expression: 'n', type: 'int', repr: '3' }],
      difference: 'no rows for 2024-04'
    };
    const text = feedback('diff', { assertions: [result] });
    expect(text).toContain('(DataFrame, shape (1, 1), dtype int64)');
    const repr = JSON.stringify(Array.from({ length: 40 }, (_, i) => i));
    const list = {
      ...compared.observed!,
      type: 'list',
      repr,
      shape: '40 items'
    };
    expect(
      feedback('diff', { assertions: [{ ...compared, observed: list }] })
    ).toContain('(list, 40 items)');
    expect(text).toContain('where `n` = 3 (int)');
    expect(text).toContain('difference: no rows for 2024-04');
  });

  it('says two short values in one line, with types where they differ', () => {
    const expected = { expression: '55', type: 'float', repr: '55.0' };
    const said = (expected: ObservedValue) =>
      feedback('diff', { assertions: [{ ...compared, expected }] });
    expect(said(compared.expected!)).toContain(
      '- `fibonacci(10)`: observed 54.0 (float), expected 55 (int)'
    );
    expect(said(expected)).toContain('observed 54.0, expected 55.0');
  });

  it('names no thread of a stack', () => {
    const stack =
      'Current thread 0x00007fd0aec0eb80 (most recent call first):\n  File "<candidate>", line 3 in f';
    const text = feedback('diff', { status: 'cut', stop: 'timeout', stack });
    expect(text).toContain('most recent call first:\n  File "<candidate>"');
    expect(text).not.toContain('0x0000');
  });

  it('names line and text of an error', () => {
    expect(feedback('diff', { status: 'error', error })).toContain(
      '(line 2 of the cell: `return n / 0`)'
    );
  });

  it('reports locals as values may be sent', () => {
    const withLocals = (values: ContextValues) =>
      feedback(
        'diff',
        { status: 'error', error },
        { request: withValues(values) }
      );
    expect(withLocals('samples')).toContain(
      'n = 7 (int); df: DataFrame (3, 2)'
    );
    expect(withLocals('types')).toContain('n: int; df: DataFrame (3, 2)');
    expect(withLocals('none')).not.toContain('Locals');
  });

  it('shows what Python warned of, each once, beside a check that fails', () => {
    const warned =
      '<candidate>:3: RuntimeWarning: invalid value\n  b = a / s\n';
    const stderr = `${warned}plain words\n${warned}lib.py:9: UserWarning: no\n  x()\n`;
    const failed = fakeAssertion({ outcome: 'failed' });
    expect(feedback('diff', { assertions: [failed], stderr })).toMatch(
      /\n\n`b = a \/ s` gave RuntimeWarning: invalid value$/
    );
    expect(feedback('diff', { stderr })).toBe('');
    const request = withValues('none');
    expect(
      feedback('diff', { assertions: [failed], stderr }, { request })
    ).not.toContain('RuntimeWarning');
  });

  it('names only the statement of further assertions', () => {
    const many = Array.from({ length: 10 }, (_, i) => ({
      ...compared,
      id: `c:${i}`,
      source: `assert f(${i}) == 1`
    }));
    const text = feedback('diff', { assertions: many });
    expect(text).toContain(
      'And 2 more:\n- `assert f(8) == 1`\n- `assert f(9) == 1`'
    );
  });
});

describe('auto', () => {
  it.each([
    ['of library code', ['<check 1>', '<candidate>', '/lib/frame.py'], true],
    ['of a cell above', ['<check 1>', 'Cell In[3]'], true],
    ['of the cell itself', ['<check 1>', '<candidate>'], false],
    ['of the check', ['<check 1>'], false]
  ])('adds the traceback to an error %s: %s, %s', (_, files, shown) => {
    const frames = files.map(file => `  File "${file}", line 2, in f\n    f()`);
    const traceback = [
      'Traceback (most recent call last):',
      ...frames,
      'KeyError: 1'
    ].join('\n');
    const text = (own: string) =>
      feedback('auto', {
        assertions: [
          { ...compared, outcome: 'error', error: { ...error, traceback: own } }
        ]
      });
    expect(text(traceback).includes('Traceback')).toBe(shown);
    // After another error its own line is only the end of the story.
    expect(text(`${traceback}\n\nThen:\n\n${traceback}`)).toContain(
      'Traceback'
    );
  });

  it('of a test, says the line that did not hold', () => {
    const own = 'File "<check 1>", line 7, in test\n    f(2)\n    ^^^^\nE: 1';
    const text = (source: string) =>
      feedback('auto', {
        assertions: [
          fakeAssertion({
            source,
            outcome: 'error',
            error: { name: 'E', message: '1', traceback: own }
          })
        ]
      });
    expect(text('TestF.test')).toMatch(
      /- `TestF.test`\n {2}at `f\(2\)`\n {2}raised E: 1/
    );
    expect(text('f(2)')).not.toContain(' at ');
  });

  it('says once what several checks raised', () => {
    const results = [1, 2, 3].map(line =>
      fakeAssertion({ line, source: `f(${line})`, outcome: 'error', error })
    );
    expect(feedback('diff', { assertions: results })).toMatch(
      /- `f\(1\)`\n {2}raised Zero[^]*\n\n- `f\(2\)`: the same\n\n- `f\(3\)`: the same$/
    );
  });
});

it('a strategy with a bug gives way to the raw tracebacks', () => {
  const broken = {
    name: 'own',
    build: () => {
      throw new TypeError('x is undefined');
    }
  };
  const attempt = attemptOf({ status: 'error', error });
  const input = {
    request: visibleRequest(makeRequest()),
    attempt: visibleAttempt(attempt),
    earlier: []
  };
  expect(buildFeedback(broken, input)).toMatchObject({
    strategy: 'raw',
    text: expect.stringContaining('ZeroDivisionError'),
    error: 'The feedback strategy own failed: x is undefined'
  });
});
