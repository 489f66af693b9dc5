/** What a failed session shows: tables, long output, frames, hints, and each error once. */
import { answer, expect, model, test, userSettings } from '../../refine';

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

test.describe('a session that fails', () => {
  test.use({
    mockSettings: userSettings({ contextValues: 'samples', maxAttempts: 2 })
  });

  test(
    'its tables, output, variables and hints can be read',
    { tag: '@full' },
    async ({ notebook }) => {
      const wrong = `${table}\nprint("start\\n" + "line\\n" * 20000)`;
      await model.load({
        answers: [
          { text: answer('Load it.', wrong) },
          { text: answer('Again.', nested) },
          { text: answer('Once more.', `${table}\n`) }
        ]
      });
      const nb = await notebook('readable', [
        { id: 'setup', source: setup },
        { id: 'target', source: '# Load the table\n' },
        {
          id: 'checks',
          source: 'assert table.equals(expected)\nassert total == 10'
        }
      ]);
      await nb.open();
      await nb.run(0);
      await nb.select(1);
      await nb.refine();
      await expect(
        nb.panel.getByRole('heading', { name: /Stopped after 2/ })
      ).toBeVisible({ timeout: 60_000 });

      // Every frame of the traceback, with its values.
      await nb.more();
      await nb.panel.getByRole('button', { name: 'locals' }).click();
      await expect(
        nb.panel.getByText('inner, line 2 of the attempt')
      ).toBeVisible();
      await expect(
        nb.panel.getByText('outer, line 4 of the attempt')
      ).toBeVisible();

      const first = nb.panel.locator('.jp-Refine-attempt').filter({
        has: nb.page.getByRole('button', { name: /^Attempt 1 / })
      });
      await first.getByRole('button', { name: /^Attempt 1 / }).click();
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
      await expect(nb.panel.getByText('Hint: sum the units')).toBeVisible({
        timeout: 60_000
      });
      await expect(
        nb.panel.getByRole('heading', { name: /Stopped after 3/ })
      ).toBeVisible({ timeout: 60_000 });
    }
  );
});
