/** Plots and tables of an attempt in the panel; what would load or run something does not. */
import { answer, expect, model, test, userSettings } from '../../refine';

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

test.describe('one attempt', () => {
  test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

  test(
    'plots and tables are shown; nothing is loaded or run',
    { tag: '@full' },
    async ({ notebook }) => {
      await model.load({ answers: [{ text: answer('Show it.', candidate) }] });
      const nb = await notebook('outputs', [
        { id: 'target', source: '# total: 10\n' },
        { id: 'checks', source: 'assert total == 10' }
      ]);
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
      await nb.open();
      await nb.select(0);
      await nb.refine();
      await expect(
        nb.panel.getByRole('heading', { name: /Stopped after 1/ })
      ).toBeVisible({ timeout: 60_000 });
      await nb.more();
      await nb.panel.getByRole('button', { name: 'output' }).click();
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
      await nb.page.screenshot({ path: 'test-results/outputs.png' });
      expect(outside).toEqual([]);
      expect(await nb.page.evaluate(() => 'refineRan' in window)).toBe(false);
    }
  );
});
