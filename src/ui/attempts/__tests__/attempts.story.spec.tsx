/** Rows of attempts: what is open and what they show. */
import { Widget } from '@lumino/widgets';
import { NO_USAGE } from '../../../core/domain/model';
import { unscored } from '../../../core/domain/verdict';
import type { AttemptState } from '../../../core/events/state';
import { FACTORIES, panel, showSession } from '../../__tests__/renderPanel';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3_WRITING,
  assertions,
  attempt,
  execution,
  HOLDOUT,
  verdict
} from '../../__tests__/attempts';
import { REQUEST, session } from '../../__tests__/views';

describe('rows', () => {
  it('come newest first, with outcome and chip', () => {
    showSession();
    expect(panel.texts('.jp-Refine-attemptHead')).toEqual([
      'Attempt 35 lineswriting',
      'Attempt 2len(monthly) is 10, expected 123 of 4',
      "Attempt 1KeyError: 'Region'0 of 4"
    ]);
  });

  it('are open for the newest code and result, until toggled', async () => {
    showSession();
    const open = () =>
      [3, 2, 1].filter(n =>
        panel.row(n).querySelector('.jp-Refine-attemptBody')
      );
    expect(open()).toEqual([3, 2]);
    await panel.click('Attempt 2');
    await panel.click('Attempt 1');
    expect(open()).toEqual([3, 1]);
    panel.show({
      session: session({
        attempts: [
          ATTEMPT_1,
          ATTEMPT_2,
          { ...ATTEMPT_3_WRITING, phase: 'ended' },
          attempt(4, { phase: 'writing' })
        ]
      })
    });
    expect(open()).toEqual([3, 1]);
    expect(panel.row(4).querySelector('.jp-Refine-attemptBody')).not.toBeNull();
  });

  it('say what changed where nothing failed', () => {
    showSession({
      attempts: [
        { ...ATTEMPT_1, code: 'a = 1\nb = 2' },
        attempt(2, { code: 'import re\n# Three\na = 1\nb = 3' })
      ]
    });
    expect(panel.texts('.jp-Refine-title')[0]).toBe('Changed: b = 3');
    showSession({
      attempts: [
        { ...ATTEMPT_1, code: 'a = 1' },
        attempt(2, { code: 'important = 1\nb = 2\na = 1' })
      ]
    });
    expect(panel.texts('.jp-Refine-title')[0]).toBe('Changed: important = 1');
  });

  it('say why a verdict without checks is a failure', () => {
    const refused = {
      ...verdict(0, 1),
      evaluator: 'repair',
      evaluation: 'fail' as const,
      reasons: ['It no longer calls f.']
    };
    showSession({
      attempts: [attempt(1, { code: 'x = 1', verdict: refused })]
    });
    expect(panel.texts('.jp-Refine-title')).toEqual(['It no longer calls f.']);
  });

  it('have no chip where the answer had no code', () => {
    const failure = { code: 'no-code', message: 'The answer has no code.' };
    showSession({ attempts: [attempt(1, { failure })] });
    expect(panel.texts('.jp-Refine-attemptHead')).toEqual([
      'Attempt 1The answer has no code.'
    ]);
  });

  it('show the answer where it had no code, and why once', () => {
    const message = 'The answer has no code.';
    const failure = { code: 'no-code', message };
    const verdict = unscored('assertions', 'fail', message);
    const answer = 'fonction f(x)';
    showSession({ attempts: [attempt(1, { failure, verdict, answer })] });
    const row = panel.row(1);
    expect(row.textContent?.split(message)).toHaveLength(2);
    expect(row.querySelector('.jp-Refine-detail')?.textContent).toContain(
      answer
    );
  });

  it('say once that they were cut off, and name no cost without tokens', () => {
    const failure = { code: 'target-changed', message: 'Stopped early.' };
    showSession({ attempts: [attempt(1, { code: 'x = 1', failure })] });
    const row = panel.row(1);
    expect(row.querySelector('.jp-Refine-chip')?.textContent).toBe('stopped');
    expect(row.textContent?.split('Stopped early.')).toHaveLength(2);
    const usage = { ...NO_USAGE, calls: 1, cost: 0 };
    panel.show({ session: session({ attempts: [attempt(2, { usage })] }) });
    expect(panel.row(2).textContent).not.toMatch(/0 tokens|\$0/);
  });

  it.each([
    ['pass', verdict(4, 4), 'pass'],
    ['some', verdict(3, 4), 'some'],
    ['none', verdict(0, 4), 'none']
  ] as const)('wear a chip that says and shows %s', (_, given, tone) => {
    showSession({
      attempts: [
        attempt(1, {
          assertions: assertions(given.passed ?? 0),
          verdict: given
        })
      ]
    });
    const chip = panel.row(1).querySelector('.jp-Refine-chip');
    expect(chip?.textContent).toBe(`${given.passed} of 4`);
    expect(chip?.classList.contains(`jp-mod-${tone}`)).toBe(true);
  });

  it('are not green when only a hold-out failed', () => {
    showSession({
      attempts: [
        attempt(1, {
          assertions: [...assertions(4), { ...HOLDOUT, outcome: 'failed' }],
          verdict: { ...verdict(4, 4), evaluation: 'needs-improvement' }
        })
      ]
    });
    const chip = panel.row(1).querySelector('.jp-Refine-chip');
    expect(chip?.classList.contains('jp-mod-some')).toBe(true);
  });
});

describe('an open row', () => {
  it('shows attempt 1 as the change in the current code', () => {
    showSession({
      attempts: [
        { ...ATTEMPT_1, attempt: 0, code: 'a = 0' },
        { ...ATTEMPT_1, code: 'a = 1\nb = 2' }
      ]
    });
    expect(panel.lines(1)).toEqual(['-a = 0', '+a = 1', '+b = 2']);
  });

  it('shows what streams as it is, and the change once it is whole', () => {
    const before = { ...ATTEMPT_1, code: 'a = 1\nb = 2\nc = 3\nd = 4' };
    const streaming = (code: string): AttemptState => ({
      ...ATTEMPT_3_WRITING,
      attempt: 2,
      code
    });
    showSession({ attempts: [before, streaming('a = 1\nb =')] });
    expect(panel.lines(2)).toEqual([' a = 1', ' b =']);
    panel.show({
      session: session({ attempts: [before, streaming('a = 1\nb = 9\n')] })
    });
    expect(panel.lines(2)).toEqual([' a = 1', ' b = 9']);
    panel.show({
      session: session({
        attempts: [
          before,
          { ...streaming('a = 1\nb = 9\nd = 4'), phase: 'ended' }
        ]
      })
    });
    expect(panel.lines(2)).toEqual([
      ' a = 1',
      '-b = 2',
      '-c = 3',
      '+b = 9',
      ' d = 4'
    ]);
  });

  it('shows thoughts while there is no code', () => {
    showSession({ attempts: [{ ...ATTEMPT_3_WRITING, attempt: 1, code: '' }] });
    expect(
      panel.row(1).querySelector('.jp-Refine-thoughts')?.textContent
    ).toContain('Reindex on all periods.');
  });

  it('lists statements with outcome, time, and what differs', () => {
    showSession({ attempts: [ATTEMPT_2] });
    expect(panel.texts('.jp-Refine-assertion')).toEqual([
      '✓passed: list(monthly.columns) == ["EU", "US"]1 ms',
      '✓passed: monthly.loc["2024-01", "EU"] == 12001 ms',
      '✗failed: len(monthly) == 121 msexpected12observed10no rows for 2024-04, 2024-09',
      '✓passed: monthly.isna().sum().sum() == 02 ms'
    ]);
  });

  it('says in one line which checks were not run, and why', () => {
    showSession({ attempts: [ATTEMPT_1] });
    expect(panel.texts('.jp-Refine-assertion')).toEqual([]);
    expect(panel.row(1).textContent).toContain(
      '4 checks not run: the code raised KeyError.'
    );
  });

  const side = (type: string) => ({ expression: 'x', type, repr: '12' });
  const compared = (operator: string, observed = 'int') => {
    const result = {
      ...HOLDOUT,
      role: 'assertion',
      outcome: 'failed',
      operator,
      expected: side('int'),
      observed: side(observed)
    } as const;
    showSession({ attempts: [attempt(1, { assertions: [result] })] });
  };

  it('leaves out the assert of each line of a row', () => {
    const source = 'assert f(0) == 1\nassert f(1) == 2';
    const result = { ...HOLDOUT, role: 'assertion', source } as const;
    showSession({ attempts: [attempt(1, { assertions: [result] })] });
    expect(panel.texts('.jp-Refine-assertion')[0]).toContain(
      'f(0) == 1\nf(1) == 2'
    );
  });

  it('shows types where the values look alike', () => {
    compared('is', 'str');
    expect(panel.texts('dl')).toEqual(['expected is12intobserved12str']);
  });

  it.each([
    ['equals', 'expected'],
    ['assert_allclose', 'expected'],
    ['isinstance', 'expected'],
    ['assertNotEqual', 'expected assertNotEqual'],
    ['<', 'expected <']
  ])('labels the expected side of %s as “%s”', (operator, label) => {
    compared(operator);
    expect(panel.texts('dt')[0]).toBe(label);
  });

  it('folds the statements that held when there are very many', async () => {
    const many = Array.from({ length: 80 }, (_, i) => ({
      ...HOLDOUT,
      id: `x:${i}`,
      outcome: i === 40 ? ('failed' as const) : ('passed' as const)
    }));
    showSession({ attempts: [attempt(1, { assertions: many })] });
    expect(panel.texts('.jp-Refine-assertion')).toHaveLength(1);
    await panel.click('79 more');
    expect(panel.texts('.jp-Refine-assertion')).toHaveLength(80);
  });

  it('shows an error with its line, a cut, a denial and a repeat', () => {
    showSession({
      attempts: [
        {
          ...ATTEMPT_1,
          repeatOf: 1,
          attempt: 2,
          execution: execution([], {
            status: 'error',
            error: {
              name: 'KeyError',
              message: "'Region'",
              traceback: '',
              candidateLine: 3
            },
            stopMessage: 'timeout: limit 2 s, used 2.0 s',
            denied: ['tried to reach example.org:443']
          })
        }
      ]
    });
    const text = panel.row(2).textContent;
    expect(text).toContain("Line 3: KeyError: 'Region'");
    expect(text).toContain('timeout: limit 2 s, used 2.0 s');
    expect(text).toContain('Blocked: it tried to reach example.org:443.');
    expect(text).toContain('Same code as attempt 1, not run again.');
  });
});

it('says that a scorer failed, and keeps the assertions of its row', () => {
  const error = { name: 'ZeroDivisionError', message: 'by 0', traceback: '' };
  const scored = { name: 'RMSE', goal: 'min', value: null, error } as const;
  showSession({
    attempts: [
      attempt(1, {
        assertions: assertions(4),
        execution: execution(assertions(4), { scored }),
        verdict: { ...verdict(4, 4), evaluation: 'needs-improvement' }
      })
    ],
    best: 1
  });
  expect(panel.texts('.jp-Refine-attemptHead > .jp-Refine-chip')).toEqual([
    '4 of 4, no RMSE'
  ]);
  expect(panel.row(1).textContent).toContain(
    'The scorer of RMSE failed: ZeroDivisionError: by 0'
  );
});

it('shows the comment of a scorer once', () => {
  const comment = 'July is far off.';
  const known = { name: 'RMSE', goal: 'min', confirmed: true } as const;
  const scored = { ...known, value: 5, comment };
  const verdict = unscored('scorer', 'needs-improvement', comment);
  showSession({
    attempts: [
      attempt(1, {
        code: 'x = 1',
        verdict,
        execution: execution([], { scored })
      })
    ]
  });
  expect(panel.row(1).textContent?.split(comment)).toHaveLength(2);
});

it('shows no value of a hidden name', async () => {
  const side = (expression: string, repr: string) => ({
    expression,
    type: 'list',
    repr
  });
  const failing = assertions(3)[2];
  const results = [
    {
      ...failing,
      observed: side('y_test[0]', 'SECRET-1'),
      difference: 'index 0: SECRET-2'
    },
    {
      ...failing,
      id: 'check:9',
      observed: side('rmse(y_test)', '0.41'),
      difference: undefined
    }
  ];
  const locals = [
    { name: 'y_test', type: 'list', repr: 'SECRET-3' },
    { name: 'expected_total', type: 'int', repr: 'SECRET-4' },
    { name: 'n', type: 'int', repr: '12' }
  ];
  showSession({
    request: {
      ...REQUEST,
      hiddenData: ['y_test'],
      hiddenNames: ['expected_total']
    },
    attempts: [
      attempt(1, {
        assertions: results,
        execution: execution(results, {
          error: { name: 'E', message: '', traceback: '', locals }
        })
      })
    ]
  });
  await panel.more(1);
  await panel.click('locals');
  const text = panel.row(1).textContent!;
  expect(text).not.toContain('SECRET');
  expect(text).toContain('y_testlisthidden');
  expect(text).toContain('nint12');
  expect(text).toContain('0.41');
});

it('marks a statement that holds for an empty cell as well', () => {
  const [first, second] = ATTEMPT_2.assertions;
  const assertions = [first!, { ...second!, holdsEmpty: true }];
  showSession({ attempts: [{ ...ATTEMPT_2, assertions }] });
  expect(panel.texts('.jp-Refine-assertion')).toEqual([
    expect.not.stringContaining('says nothing about the code'),
    expect.stringContaining('says nothing about the code')
  ]);
});

it('disposes of a renderer that is attached when its list is removed', async () => {
  const widgets: Widget[] = [];
  const render = jest
    .spyOn(FACTORIES.renderer, 'render')
    .mockImplementation((_, __, host) => {
      const widget = new Widget();
      Widget.attach(widget, host);
      widgets.push(widget);
      return widget;
    });
  const displays = [{ mime: 'text/html', data: '<b>1</b>' }];
  showSession({
    attempts: [attempt(1, { execution: execution([], { displays }) })]
  });
  await panel.more(1);
  await panel.click('output');
  expect(widgets.map(({ isAttached }) => isAttached)).toEqual([true]);
  await panel.click('Attempt 1');
  expect(widgets.map(({ isDisposed }) => isDisposed)).toEqual([true]);
  render.mockRestore();
});
