import { expect } from '@playwright/test';
import { NO_MODEL_PORT } from '../../ports';
import { RefineNotebook, test } from '../../refine';

test('the demo opens from the set-up view and passes on attempt 3', async ({
  page
}) => {
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(`http://localhost:${NO_MODEL_PORT}/lab?reset`);
  const nb = new RefineNotebook(page as never, '');
  await nb.command('jupyterlab-refine:show-panel');
  await nb.panel.getByRole('button', { name: 'Open the demo' }).click();
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  await nb.waitForKernel();
  await nb.select(1);
  await nb.refine();
  await nb.expectPassed(3);
  // Recorded answers are labelled so.
  await expect(nb.panel.getByText(/recorded/i).first()).toBeVisible();
  await expect(nb.panel.getByText('4 of 4 and 1 held out')).toBeVisible();
});

test(
  'the card in the Launcher opens an example that passes',
  { tag: '@full' },
  async ({ page }) => {
    await page.goto(`http://localhost:${NO_MODEL_PORT}/lab?reset`);
    const nb = new RefineNotebook(page as never, '');
    await nb.command('jupyterlab-refine:show-panel');
    // Before a cell is selected, the panel says what to do.
    await expect(nb.panel.getByRole('listitem')).toHaveCount(3);
    await expect(nb.panel.getByRole('img', { name: /attempt/ })).toBeVisible();

    await page
      .locator('.jp-LauncherCard', { hasText: 'Refine a Cell (Example)' })
      .click();
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.waitForKernel();
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(3);

    // A second use leads back to it, and leaves it as it is.
    await nb.command('launcher:create');
    await page
      .locator('.jp-LauncherCard', { hasText: 'Refine a Cell (Example)' })
      .last()
      .click();
    await expect(nb.cell(1).locator('.cm-content')).toContainText(
      'def fibonacci'
    );
  }
);
