import { answer, expect, test, testWith } from '../../refine';

/** What the panel shows of a session: failures that can be read, costs, long notebooks, comparisons. */

test.describe('readable', () => {
  const setup = `import pandas as pd
def load():
    return pd.DataFrame({"month": ["2024-01", "2024-02"], "region_name": ["north", "south"],
                         "total_revenue": [10.5, 20.25], "units_sold": [1, 2]})
expected = load()`;
  const table = `table = load().assign(total_revenue=[10.5, 21.0])
total = table.units_sold.sum() + 11`;
  const nested = `def inner(n):
    raise KeyError("Region")
def outer(k):
    return inner(k + 1)
outer(3)`;

  testWith({ contextValues: 'samples', maxAttempts: 2 })(
    'its tables, output, variables and hints can be read @full',
    async ({ notebook }) => {
      const wrong = `${table}\nprint("start\\n" + "line\\n" * 20000)`;
      const nb = await notebook(
        [
          { id: 'setup', source: setup },
          { id: 'target', source: '# Load the table\n' },
          {
            id: 'checks',
            source: 'assert table.equals(expected)\nassert total == 10'
          }
        ],
        [answer(wrong), answer(nested), answer(`${table}\n`)]
      );
      await nb.run(0);
      await nb.refine(1);
      await nb.expectHeading(/Stopped after 2/);

      // Every frame of the traceback, with its values.
      await nb.more();
      await nb.button('locals').click();
      await nb.expectText('inner, line 2 of the attempt');
      await nb.expectText('outer, line 4 of the attempt');

      const first = nb.attempt(1);
      await nb.toggle(1).click();
      // A frame scrolls sideways and keeps its columns.
      const shown = first.locator('.jp-mod-table').first();
      await expect(shown).toContainText('total_revenue');
      expect(
        await shown.evaluate(node => [
          getComputedStyle(node).whiteSpace,
          node.scrollWidth > node.clientWidth
        ])
      ).toEqual(['pre', true]);
      await expect(first.locator('dt').first()).toHaveText('expected');
      await expect(first.getByText('4 too high')).toBeVisible();
      await nb.more();
      await first.getByRole('button', { name: 'output' }).click();
      await expect(
        first.getByText('The last 20,000 of 100,007 characters.')
      ).toBeVisible();
      await first.getByRole('button', { name: 'Show all' }).click();
      await expect(first.locator('.jp-Refine-text')).toContainText('start');

      const hint = nb.panel.getByRole('textbox', { name: /hint/ });
      await hint.fill('sum the units');
      await hint.press('Enter');
      await nb.expectText('Hint: sum the units');
      await nb.expectHeading(/Stopped after 3/);
    }
  );
});

test.describe('comparing', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line_${i} = ${i}`);

  const start = ['def total():', '    return 1', ...lines].join('\n');

  const first = start.replace('return 1', 'return 2');

  const second = start.replace('return 1', 'return sum([1, 2])');

  testWith({ maxAttempts: 2 })(
    'attempts and cell are compared side by side @full',
    async ({ notebook }) => {
      const nb = await notebook(
        [
          { id: 'target', source: start },
          { id: 'checks', source: 'assert total() == 4' },
          { id: 'held', source: 'assert total() > 3', tags: ['refine-holdout'] }
        ],
        [answer(first), answer(second)]
      );
      const { page } = nb;
      await nb.refine(0);
      await nb.expectHeading(/Stopped after 2/);
      await nb.more();
      await nb.button('compare', true).click();

      const tab = page.getByRole('tabpanel', { name: 'Compare cell 1' });
      const left = page.getByLabel('Compare', { exact: true });
      const right = page.getByLabel('Compare with', { exact: true });
      await expect(left).toHaveValue('1');
      await expect(right).toHaveValue('2');
      // A count is the same as in the panel: hold-outs apart.
      await expect(right.locator('option[value="2"]')).toHaveText(
        'Attempt 2 · 0 of 1'
      );
      await expect(nb.toggle(2)).toContainText('0 of 1');
      const editors = tab.locator('.cm-content');
      await expect(editors).toHaveCount(2);
      await expect(editors.nth(0)).toContainText('return 2');
      await expect(editors.nth(1)).toContainText('return sum([1, 2])');
      // What both have in common is folded; the rest is highlighted as Python.
      await expect(tab.locator('.cm-collapsedLines').first()).toContainText(
        'unchanged lines'
      );
      await expect(editors.nth(1)).not.toContainText('line_10');
      const color = (text: string) =>
        editors
          .nth(1)
          .getByText(text, { exact: true })
          .first()
          .evaluate(node => getComputedStyle(node).color);
      expect(await color('def')).not.toBe(await color('total'));

      // Attempt 0 and the cell are sides as well.
      await left.selectOption('0');
      await right.selectOption('cell');
      await expect(tab.getByRole('status')).toHaveText('No difference.');
      await left.selectOption('2');
      await expect(tab.getByRole('status')).toHaveText('1 change.');
    }
  );
});

test.describe('outputs', () => {
  /** Plots and tables of an attempt in the panel; what would load or run something does not. */

  const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

  const candidate = `from IPython.display import display
import pandas as pd
total = 1
print("printed")
display({"image/png": "${PIXEL}", "text/plain": "<Figure>"}, raw=True)
display(pd.DataFrame({"region": ["north", "south"], "units": [1, 2]}))
display({"text/html": """<b class="jp-Refine-button">bold</b>
<img src="https://outside.invalid/a.png"><iframe src="https://outside.invalid/b"></iframe>
<table background="https://outside.invalid/c.png"><tr><td>cell</td></tr></table>
<script>window.refineRan = true</script><img src=x onerror="window.refineRan = true">"""}, raw=True)
display({"image/svg+xml": """<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">
<script>window.refineRan = true</script><image href="https://outside.invalid/d.png" width="9" height="9"/>
<rect width="20" height="20" fill="green"/></svg>"""}, raw=True)
display({"application/javascript": "window.refineRan = true", "text/plain": "<JavaScript>"}, raw=True)
display({"text/markdown": "# Title\\n![a](https://outside.invalid/e.png)"}, raw=True)
display({"image/png": "x" * (5 << 20)}, raw=True)`;

  testWith({ maxAttempts: 1 })(
    'plots and tables are shown; nothing is loaded or run @full',
    async ({ notebook }) => {
      const nb = await notebook(
        [
          { id: 'target', source: '# total: 10\n' },
          { id: 'checks', source: 'assert total == 10' }
        ],
        [answer(candidate)]
      );
      const outside: string[] = [];
      nb.page.on('request', request => {
        if (
          !request.url().startsWith('http://localhost') &&
          !/^(data|blob):/.test(request.url()) &&
          !request.url().includes('127.0.0.1')
        ) {
          outside.push(request.url());
        }
      });
      await nb.refine(0);
      await nb.expectHeading(/Stopped after 1/);
      await nb.more();
      await nb.button('output').click();
      const list = nb.panel.getByRole('list', { name: 'Plots and tables' });
      const items = list.getByRole('listitem');
      await expect(items).toHaveCount(7);
      const plot = items.nth(0).getByRole('img', { name: 'Output 1' });
      await expect
        .poll(() =>
          plot.evaluate(img => (img as HTMLImageElement).naturalWidth)
        )
        .toBe(1);
      await expect(
        items.nth(1).getByRole('cell', { name: 'south' })
      ).toBeVisible();
      await expect(items.nth(2)).toContainText('bold');
      await expect(items.nth(2)).toContainText('cell');
      await expect(
        items
          .nth(2)
          .locator('img, iframe, script, [class*=Refine-button], [background]')
      ).toHaveCount(0);
      await expect
        .poll(() =>
          items
            .nth(3)
            .locator('img')
            .evaluate(img => (img as HTMLImageElement).naturalWidth)
        )
        .toBe(20);
      // Its plain text is one of the forms that it has.
      await expect(items.nth(4)).toContainText('<JavaScript>');
      await expect(
        items.nth(5).getByRole('heading', { name: 'Title' })
      ).toBeVisible();
      await expect(items.nth(6)).toContainText(
        'An output of type image/png was not kept (5,242,880 characters).'
      );
      await list.scrollIntoViewIfNeeded();
      expect(outside).toEqual([]);
      expect(await nb.page.evaluate(() => 'refineRan' in window)).toBe(false);
    }
  );
});
