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
