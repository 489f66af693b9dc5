/** @jest-environment node */
import type { AssertionResult } from '../../../core/domain/execution';
import { NO_USAGE } from '../../../core/domain/model';
import type { Outcome } from '../../../core/domain/outcome';
import { fakeExecution } from '../../../testing/fakeExecutor';
import { reasonOf } from '../reasons';
import {
  exitStatus,
  type NotebookResult,
  resultLines,
  type Status,
  type TargetResult,
  usageText
} from '../results';
import { csvText, junitText } from '../tables';
import { painter, printable, createScreen } from '../screen';

describe('results', () => {
  const best = {
    attempt: 2,
    candidate: 'x',
    thoughts: '',
    evaluation: 'pass',
    score: 1,
    passed: 3,
    total: 3
  } as const;
  const outcome: Outcome = {
    passed: true,
    checkedBy: 'assertions',
    stopReason: 'passed',
    best,
    attempts: 2,
    scoreHistory: [0, 1],
    converged: true,
    usage: NO_USAGE,
    modelMs: 0,
    kernelMs: 0
  };

  function target(fields: Partial<TargetResult> = {}): TargetResult {
    return {
      cellId: 'f',
      index: 1,
      status: 'passed',
      outcome,
      model: { profile: 'p', model: 'm', host: 'h', recorded: false },
      assertions: { passed: 3, total: 3 },
      holdouts: { passed: 0, total: 0 },
      confirmed: null,
      reason: null,
      tests: [],
      accepted: 'ran',
      message: '',
      ...fields
    };
  }

  function notebook(
    statuses: readonly Status[],
    problem: Status | null = null
  ): NotebookResult {
    return {
      path: 'n.ipynb',
      targets: statuses.map(status => target({ status })),
      problem: problem && { status: problem, message: 'why\nmore' },
      written: null
    };
  }

  describe('resultLines', () => {
    const line = (fields: Partial<TargetResult>) =>
      resultLines(
        {
          path: 'n.ipynb',
          targets: [target(fields)],
          problem: null,
          written: null
        },
        painter(false)
      )[0];

    it.each<[Partial<TargetResult>, string]>([
      [{}, 'passed  n.ipynb cell 1 [f]: 3 of 3; attempt 2; p/m'],
      [
        { holdouts: { passed: 1, total: 1 } },
        'passed  n.ipynb cell 1 [f]: 3 of 3 and 1 held out; attempt 2; p/m'
      ],
      [
        {
          model: { profile: 'demo', model: 'demo', host: '', recorded: true }
        },
        'passed  n.ipynb cell 1 [f]: 3 of 3; attempt 2; demo/demo, recorded answers'
      ],
      [
        {
          status: 'failed',
          assertions: { passed: 1, total: 3 },
          holdouts: { passed: 0, total: 1 },
          outcome: {
            ...outcome,
            passed: false,
            attempts: 5,
            stopReason: 'max-attempts'
          }
        },
        'failed  n.ipynb cell 1 [f]: 1 of 3, 0 of 1 held out; best: attempt 2 of 5; p/m'
      ],
      [
        { outcome: { ...outcome, attempts: 0, best: { ...best, attempt: 0 } } },
        'passed  n.ipynb cell 1 [f]: 3 of 3; current code'
      ],
      [
        {
          status: 'error',
          assertions: { passed: 0, total: 0 },
          outcome: { ...outcome, passed: false, best: null, attempts: 1 },
          message: 'no answer'
        },
        'error  n.ipynb cell 1 [f]: no checks; no candidate in 1 attempt; p/m; no answer'
      ]
    ])('%#', (fields, expected) => {
      expect(line(fields)).toBe(expected);
    });

    it('reports a problem in one line', () => {
      expect(resultLines(notebook([], 'input'), painter(false))).toEqual([
        'bad input  n.ipynb: why'
      ]);
    });
  });

  describe('a pass with a check that is not confirmed', () => {
    const reason = {
      id: 'a:2',
      role: 'assertion',
      line: 2,
      source: 'assert g',
      reason: 'in the separate process, `g` is False'
    } as const;
    const open = { n: 2, of: 3, reasons: [reason] };
    const results = [
      { ...notebook([]), targets: [target({ confirmed: open })] }
    ];
    const whole = [
      {
        ...notebook([]),
        targets: [target({ confirmed: { n: 3, of: 3, reasons: [] } })]
      }
    ];

    it('gives exit status 1 only with --strict, as without checks', () => {
      expect(exitStatus(results, false)).toBe(0);
      expect(exitStatus(results, true)).toBe(1);
      expect(exitStatus(whole, true)).toBe(0);
      expect(exitStatus([notebook(['passed'])], true)).toBe(1);
      expect(exitStatus([notebook(['error'])], true)).toBe(3);
    });
  });

  describe('usageText', () => {
    const usage = {
      calls: 2,
      promptTokens: 1200,
      completionTokens: 34,
      estimated: false,
      cost: null
    };

    it('has no dollars where no price is known', () => {
      expect(usageText(usage)).toBe('2 calls, 1,234 tokens');
    });

    it('marks what was estimated', () => {
      expect(
        usageText({ ...usage, calls: 1, estimated: true, cost: 0.002149 })
      ).toBe('1 call, about 1,234 tokens, $0.0021');
    });
  });
});

describe('reasons', () => {
  const execution = fakeExecution();
  const check: AssertionResult = {
    id: 'c:1',
    cellId: 'c',
    role: 'assertion',
    line: 1,
    source: 'assert f(2) == 3',
    outcome: 'failed',
    durationMs: 1
  };
  const error = (name: string, message = '') => ({
    name,
    message,
    traceback: ''
  });

  it('names a check that checks nothing', () => {
    const idle = {
      ...check,
      source: 'if rows:\n    assert rows[0]',
      outcome: 'not-run' as const,
      difference: 'none of its asserts was reached'
    };
    expect(reasonOf({ ...execution, assertions: [idle] })).toEqual({
      kind: 'not-accepted',
      message: '`if rows: …`: none of its asserts was reached'
    });
    const behindAFailure = { ...check, outcome: 'not-run' as const };
    expect(reasonOf({ ...execution, assertions: [behindAFailure] })).toBeNull();
  });

  it('names the error that a check raised', () => {
    const raised = {
      ...check,
      outcome: 'error' as const,
      error: error('KeyError', "'a'")
    };
    expect(reasonOf({ ...execution, assertions: [raised] })?.message).toBe(
      "`assert f(2) == 3` raised KeyError: 'a'"
    );
  });
});

describe('tables', () => {
  const target: TargetResult = {
    cellId: 's',
    index: 1,
    status: 'failed',
    outcome: null,
    model: null,
    assertions: { passed: 1, total: 3 },
    holdouts: { passed: 0, total: 0 },
    confirmed: null,
    accepted: null,
    tests: [],
    reason: { kind: 'wrong-value', message: '' },
    message: 'a "quoted", <b>'
  };
  const result = (...targets: TargetResult[]): NotebookResult => ({
    path: 'n.ipynb',
    targets,
    problem: null,
    written: null
  });
  const rows = (text: string) => text.split('\r\n').slice(1, -1);

  it('has a row for a target without test cells', () => {
    expect(rows(csvText([result(target)]))).toEqual([
      'n.ipynb,s,,failed,1,3,,,wrong-value,"a ""quoted"", <b>",'
    ]);
  });

  it('has a row for a notebook that could not be read', () => {
    const problem = { status: 'input' as const, message: 'no such file' };
    const found = rows(csvText([{ ...result(), problem }]));
    expect(found).toEqual(['n.ipynb,,,input,,,,,,no such file,']);
  });

  it('lets no separator of a spreadsheet start a formula', () => {
    const message = 'a;=1+1\t+2; b';
    expect(csvText([result({ ...target, message })])).toContain(
      "a;'=1+1\t'+2; b"
    );
  });

  it.each(['=1+1', '+1', '@a', '-x', '\uff1d1'])(
    '%s is a text for a spreadsheet',
    message => {
      expect(csvText([result({ ...target, message })])).toContain(
        `,'${message},\r\n`
      );
    }
  );

  it('writes what is no XML in a way that can be read', () => {
    const message = 'a\ud800 & "\u0001"';
    expect(junitText('check', [result({ ...target, message })])).toContain(
      'message="a\ufffd &amp; &quot;&quot;"'
    );
  });
});

describe('screen', () => {
  function screenOn(
    isTTY: boolean,
    environment: Record<string, string> = { NO_COLOR: '1' },
    columns = 80
  ) {
    let written = '';
    const stream = {
      isTTY,
      columns,
      write: (text: string) => (written += text)
    };
    return { screen: createScreen(stream, environment), read: () => written };
  }

  it('on a terminal replaces one status by the next and by nothing', () => {
    const { screen, read } = screenOn(true);
    screen.status('one');
    screen.status('two');
    screen.status('');
    screen.line('end');
    expect(read()).toBe('one\r\u001b[Ktwo\r\u001b[Kend\n');
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false]
  ])('with %j has colours: %s', (environment, colours) => {
    const { screen, read } = screenOn(true, environment);
    screen.line('x', 'good');
    expect(read() !== 'x\n').toBe(colours);
  });

  it('is steered by no text, and keeps its own colours', () => {
    const { screen, read } = screenOn(true, {});
    const evil = 'a\u001b]0;title\u0007\u001b[2J\r\u001b[Kpassed';
    screen.line(evil, 'good');
    expect(read()).toBe('\u001b[32mapassed\u001b[39m\n');
  });

  it('shows no status in a log', () => {
    const { screen, read } = screenOn(false);
    screen.status('working');
    screen.line('next');
    expect(read()).toBe('next\n');
  });

  it.each([
    ['plain\n\ttext äöü 日本', 'plain\n\ttext äöü 日本'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b[2J\u001b[1;1Hgone', 'gone'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['one\r\ntwo\rthree', 'one\ntwothree'],
    ['a\u202eb\u2066c', 'abc'],
    ['bell\u0007 back\b csi\u009b31m', 'bell back csi']
  ])('prints %j without what steers', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});
