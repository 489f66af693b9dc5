/** Rows of attempts: what is open and what they show. */
import type { AttemptState, SessionState } from '../../core/state';
import { renderPanel, type RenderedPanel } from './renderPanel';
import {
  ATTEMPT_1,
  ATTEMPT_2,
  ATTEMPT_3_WRITING,
  assertions,
  attempt,
  execution,
  HOLDOUT,
  verdict
} from './attempts';
import { session, view } from './views';

let panel: RenderedPanel;

function show(change: Partial<SessionState> = {}): RenderedPanel {
  panel = renderPanel(view({ session: session(change) }));
  return panel;
}

afterEach(() => panel.unmount());

describe('rows', () => {
  it('come newest first, with title and chip', () => {
    show();
    const heads = [
      ...panel.host.querySelectorAll('.jp-Refine-attemptHead')
    ].map(head => head.textContent);
    expect(heads).toEqual([
      'Attempt 3Missing months come from the calendar, not from the datawriting',
      'Attempt 2Group by month and region, then unstack3 of 4',
      "Attempt 1KeyError: 'Region' — column is 'region'0 of 4"
    ]);
  });

  it('are open where the newest code and the newest result are, until toggled', async () => {
    show();
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

  it.each([
    ['pass', verdict(4, 4), 'pass'],
    ['some', verdict(3, 4), 'some'],
    ['none', verdict(0, 4), 'none']
  ] as const)('wear a chip that says and shows %s', (_, given, tone) => {
    show({
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
    show({
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
  it('shows attempt 1 as plain code, whatever the cell held', () => {
    show({
      attempts: [
        { ...ATTEMPT_1, attempt: 0, code: 'a = 0' },
        { ...ATTEMPT_1, code: 'a = 1\nb = 2' }
      ]
    });
    expect(panel.lines(1)).toEqual([' a = 1', ' b = 2']);
  });

  it('shows a later attempt as a change to the one before', () => {
    show({
      attempts: [
        { ...ATTEMPT_1, code: 'a = 1\nb = 2' },
        { ...ATTEMPT_2, code: 'a = 1\nb = 3' }
      ]
    });
    expect(panel.lines(2)).toEqual([' a = 1', '-b = 2', '+b = 3']);
  });

  it('shows the change while it streams, without calling removed what is still to come', () => {
    const before = { ...ATTEMPT_1, code: 'a = 1\nb = 2\nc = 3\nd = 4' };
    const streaming = (code: string): AttemptState => ({
      ...ATTEMPT_3_WRITING,
      attempt: 2,
      code
    });
    show({ attempts: [before, streaming('a = 1\nb =')] });
    expect(panel.lines(2)).toEqual([' a = 1', ' b =']);
    panel.show({
      session: session({ attempts: [before, streaming('a = 1\nb = 9\n')] })
    });
    expect(panel.lines(2)).toEqual([' a = 1', '-b = 2', '+b = 9']);
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
    show({ attempts: [{ ...ATTEMPT_3_WRITING, attempt: 1, code: '' }] });
    expect(
      panel.row(1).querySelector('.jp-Refine-thoughts')?.textContent
    ).toContain('Reindex on all periods.');
  });

  it('lists statements with outcome, time, and what differs', () => {
    show({ attempts: [ATTEMPT_2] });
    const items = [...panel.row(2).querySelectorAll('.jp-Refine-assertion')];
    expect(items.map(item => item.textContent)).toEqual([
      '✓passed: list(monthly.columns) == ["EU", "US"]1 ms',
      '✓passed: monthly.loc["2024-01", "EU"] == 12001 ms',
      '✗failed: len(monthly) == 121 msexpected12observed10no rows for 2024-04, 2024-09',
      '✓passed: monthly.isna().sum().sum() == 02 ms'
    ]);
  });

  it('shows types where the values look alike', () => {
    const value = (type: string) => ({ expression: 'x', type, repr: '12' });
    show({
      attempts: [
        attempt(1, {
          assertions: [
            {
              ...HOLDOUT,
              role: 'assertion',
              outcome: 'failed',
              operator: 'is',
              expected: value('int'),
              observed: value('str')
            }
          ]
        })
      ]
    });
    expect(panel.row(1).querySelector('dl')?.textContent).toBe(
      'expected is12intobserved12str'
    );
  });

  it('folds the statements that held when there are very many', async () => {
    const many = Array.from({ length: 80 }, (_, i) => ({
      ...HOLDOUT,
      id: `x:${i}`,
      outcome: i === 40 ? ('failed' as const) : ('passed' as const)
    }));
    show({ attempts: [attempt(1, { assertions: many })] });
    expect(panel.row(1).querySelectorAll('.jp-Refine-assertion')).toHaveLength(
      1
    );
    await panel.click('79 more');
    expect(panel.row(1).querySelectorAll('.jp-Refine-assertion')).toHaveLength(
      80
    );
  });

  it('opens output, traceback, locals, thoughts and the exact prompt', async () => {
    show({
      attempts: [{ ...ATTEMPT_1, output: 'col\u001b[31mour\u001b[0m\n' }]
    });
    const region = () =>
      panel.row(1).querySelector('[role=region]')?.textContent;
    await panel.click('output');
    expect(region()).toBe('colour\n');
    expect(panel.button('output').getAttribute('aria-expanded')).toBe('true');
    await panel.click('traceback');
    expect(region()).toContain("KeyError: 'Region'");
    await panel.click('locals');
    expect(region()).toContain('PeriodIndex (12,)');
    await panel.click('thoughts');
    expect(region()).toBe('Group by month and Region.');
    await panel.click('prompt');
    expect(region()).toContain('You write the code of one notebook cell.');
    await panel.click('prompt');
    expect(region()).toBeUndefined();
  });

  it('tells the raised error with its line, a cut, a denial and a repeat', () => {
    show({
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
    expect(text).toContain('It tried to reach example.org:443.');
    expect(text).toContain('The same as attempt 1; not run again.');
  });
});
