/** Refine is found by its name: toolbar, command palette, status bar, and a notification at the end. */
import { answer, expect, model, test } from '../../refine';

test(
  'Refine is found by name, and reports its end where the panel is hidden',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [{ text: answer('Right.', 'total = 10'), tokensPerSecond: 15 }]
    });
    const nb = await notebook('names', [
      { id: 'target', source: '# total: 10\n' },
      { id: 'checks', source: 'assert total == 10' },
      { id: 'other', source: 'x = 1' }
    ]);
    await nb.open();
    const { page } = nb;
    const label = page
      .locator('.jp-NotebookPanel-toolbar')
      .getByText('Refine', { exact: true });
    await page.setViewportSize({ width: 1500, height: 800 });
    await expect(label).toBeVisible();
    await page.screenshot({ path: 'test-results/names-wide.png' });
    await page.setViewportSize({ width: 800, height: 800 });
    await expect(label).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });

    // By keyboard: a prompt cell for the active cell.
    await nb.select(2);
    await page.keyboard.press('Control+Shift+c');
    await page.keyboard.type('prompt cell');
    await expect(
      page.locator('.lm-CommandPalette-itemLabel', {
        hasText: 'Insert %%refine Prompt Cell'
      })
    ).toBeVisible();
    await page.keyboard.press('Enter');
    await expect.poll(() => nb.source(2)).toBe('%%refine\n');
    expect(await nb.source(3)).toBe('x = 1');

    await nb.select(0);
    await nb.refine();
    const status = page.locator('.jp-Refine-statusItem');
    await expect(status).toHaveText(/Refine: attempt 1/);
    await page.keyboard.press('Escape');
    await page.evaluate(() => {
      (
        window.jupyterapp.shell as unknown as { collapseRight(): void }
      ).collapseRight();
    });
    await expect(page.getByText('Refine: passed on attempt 1.')).toBeVisible({
      timeout: 60_000
    });
    await expect(status).toHaveText('Refine: passed');
    await page.screenshot({ path: 'test-results/names-end.png' });
    await status.press('Enter');
    await nb.expectPassed(1);
  }
);
