import type { Cell } from '@jupyterlab/cells';
import { nullTranslator } from '@jupyterlab/translation';
import { PromiseDelegate } from '@lumino/coreutils';
import { checksHash } from '../../../notebook/provenance';
import { sourceHash } from '../../../notebook/provenance';
import { setBadge } from '../decorationsPlugin';
import { provenanceBadge } from '../../runtime/cells/provenanceBadge';

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
