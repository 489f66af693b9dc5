import type { Cell } from '@jupyterlab/cells';
import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';
import { initialState } from '../../../core/events/fold';
import type { AssertionResult } from '../../../core/domain/execution';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { checksHash } from '../../../notebook/provenance';
import { sourceHash } from '../../../notebook/structure/result';
import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { areEqualMarks, setBadge, setWorking } from '../decorations';
import { isRefineMagic } from '../../magic/magic';
import { cellBadges } from '../../runtime/cells/cellBadges';
import { provenanceBadge } from '../../runtime/cells/provenanceBadge';
import { isAssertionCell, toggleRole } from '../../tags';

const cell = () => {
  const node = document.createElement('div');
  node.innerHTML = '<div class="jp-Cell-inputWrapper"></div>';
  return { node } as unknown as Cell;
};

const badgesOf = ({ node }: Cell) =>
  [...node.querySelectorAll('.jp-Refine-badge')].map(badge => [
    badge.textContent,
    badge.getAttribute('data-kind'),
    badge.getAttribute('aria-label')
  ]);

describe('what a cell wears', () => {
  it('has one badge at most, as text and never as markup', () => {
    const marked = cell();
    const badge = { kind: 'passed', text: '<b>✓</b>', label: 'holds' } as const;
    setBadge(marked, badge);
    setBadge(marked, badge);
    expect(badgesOf(marked)).toEqual([['<b>✓</b>', 'passed', 'holds']]);
    setBadge(marked, { kind: 'stale', text: 'old', label: 'old' });
    expect(badgesOf(marked)).toEqual([['old', 'stale', 'old']]);
    setBadge(marked, null);
    expect(badgesOf(marked)).toEqual([]);
  });

  it('has its badge below the input, also when that comes later', async () => {
    const { node } = cell();
    node.innerHTML = '';
    const shown = new PromiseDelegate<void>();
    setBadge({ node, ready: shown.promise } as unknown as Cell, {
      kind: 'passed',
      text: '✓',
      label: 'holds'
    });
    expect(node.firstElementChild?.textContent).toBe('✓');
    // The cell is scrolled to.
    node.insertAdjacentHTML(
      'beforeend',
      '<div class="jp-Cell-inputWrapper"></div><div class="footer"></div>'
    );
    shown.resolve();
    await shown.promise;
    expect([...node.children].map(child => child.className)).toEqual([
      'jp-Cell-inputWrapper',
      'jp-Refine-badge',
      'footer'
    ]);
  });

  it('has an edge while it is worked on', () => {
    const marked = cell();
    setWorking(marked, true);
    expect(marked.node.className).toBe('jp-Refine-mod-working');
    setWorking(marked, false);
    expect(marked.node.className).toBe('');
  });

  it('marks assertion cells by the last attempt, and no hold-outs', () => {
    const result = (
      cellId: string,
      outcome: AssertionResult['outcome'],
      role: AssertionResult['role'] = 'assertion'
    ) => ({ cellId, outcome, role }) as AssertionResult;
    const ran = {
      assertions: [
        result('a', 'passed'),
        result('b', 'passed'),
        result('b', 'failed'),
        result('h', 'failed', 'holdout')
      ]
    } as unknown as AttemptState;
    const pending = {
      assertions: [result('a', 'not-run')]
    } as unknown as AttemptState;
    const badges = cellBadges(
      { ...initialState('s'), attempts: [ran, pending] },
      nullTranslator.load('jupyterlab_refine')
    );
    expect(
      [...badges].map(([id, badge]) => [id, badge.kind, badge.text])
    ).toEqual([
      ['a', 'passed', '✓'],
      ['b', 'failed', '✗ 1 of 2']
    ]);
  });
});

it('shows a cell that nothing checked as no failure', () => {
  const source = 'x = 1';
  const result = {
    passed: 0,
    total: 0,
    notPassed: true,
    sourceHash: sourceHash(source),
    checksHash: checksHash([])
  };
  expect(
    provenanceBadge(
      [
        {
          id: 't',
          type: 'code',
          source,
          metadata: { jupyterlab_refine: { result } }
        }
      ] as never,
      't',
      'python',
      nullTranslator.load('jupyterlab_refine')
    )
  ).toMatchObject({ kind: 'unchecked', text: 'refined · not checked' });
});

describe('marks of a notebook', () => {
  const badge = { kind: 'passed', text: '✓', label: 'holds' } as const;
  const marks = { working: 'a', badges: new Map([['b', badge]]) };

  it.each([
    [
      'the same',
      { working: 'a', badges: new Map([['b', { ...badge }]]) },
      true
    ],
    ['another target', { ...marks, working: null }, false],
    ['no badge', { ...marks, badges: new Map() }, false],
    ['another cell', { ...marks, badges: new Map([['c', badge]]) }, false],
    [
      'another text',
      { ...marks, badges: new Map([['b', { ...badge, text: '✗' }]]) },
      false
    ]
  ])('are compared by what they show: %s', (_, other, equal) => {
    expect(areEqualMarks(marks, other)).toBe(equal);
    expect(areEqualMarks(other, marks)).toBe(equal);
  });
});

describe('a pass with checks that are not confirmed', () => {
  const trans = nullTranslator.load('jupyterlab_refine');

  it('shows on the assertion cell', () => {
    const execution = fakeExecution({
      assertions: [
        fakeAssertion({ cellId: 'a' }),
        fakeAssertion({
          cellId: 'b',
          confirmed: false,
          unconfirmed: 'why'
        })
      ]
    });
    const ran = {
      execution,
      assertions: execution.assertions
    } as AttemptState;
    const badges = cellBadges({ ...initialState('s'), attempts: [ran] }, trans);
    expect([...badges].map(([id, { kind, text }]) => [id, kind, text])).toEqual(
      [
        ['a', 'passed', '✓'],
        ['b', 'unconfirmed', '✓ not confirmed']
      ]
    );
  });

  it('is no tick where the user skipped a check', () => {
    const ran = {
      assertions: [fakeAssertion({ cellId: 'a' })]
    } as unknown as AttemptState;
    const state = {
      ...initialState('s'),
      attempts: [ran],
      request: { assertions: [{ cellId: 'a', skipped: [2] }] }
    } as unknown as SessionState;
    expect(cellBadges(state, trans).get('a')).toMatchObject({
      kind: 'unconfirmed',
      text: '✓ 1 skipped'
    });
  });

  it('shows on the refined cell, and in its tooltip', () => {
    const metadata = {
      jupyterlab_refine: {
        result: {
          passed: 4,
          total: 4,
          confirmed: { n: 3, of: 4 },
          sourceHash: sourceHash('x = 1'),
          checksHash: checksHash([])
        }
      }
    };
    const source = 'x = 1';
    const badge = provenanceBadge(
      [{ id: 't', type: 'code', source, metadata }] as never,
      't',
      'python',
      trans
    )!;
    expect(badge).toMatchObject({
      kind: 'unconfirmed',
      text: 'refined · 4 of 4 · 1 of 4 checks not confirmed'
    });
    const marked = cell();
    setBadge(marked, badge);
    const node = marked.node.querySelector('.jp-Refine-badge')!;
    expect(node.getAttribute('title')).toBe(badge.label);
  });
});

describe('what makes a cell one of ours', () => {
  it.each([
    ['%%refine', true],
    ['\n%%refine --max-attempts 3\nAdd.', true],
    ['%%refined', false],
    ['x = 1\n%%refine', false]
  ])('%j: %s', (source, expected) => {
    expect(isRefineMagic(source)).toBe(expected);
  });

  it('reads tags whatever stands in their place', () => {
    expect(isAssertionCell('refine-assert')).toBe(false);
    expect(toggleRole(undefined, 'refine-assert')).toEqual(['refine-assert']);
    expect(toggleRole(['x', 'refine-assert', 1], 'refine-assert')).toEqual([
      'x'
    ]);
    expect(toggleRole(['x', 'refine-assert'], 'refine-scorer')).toEqual([
      'x',
      'refine-scorer'
    ]);
  });
});
