/** One session with a served model: frames for docs/refine.gif, then docs/screenshot.png. */
import * as fs from 'fs';
import * as path from 'path';
import type { Page } from '@playwright/test';
import { expect, test } from '../refine';

const ROOT = path.resolve(__dirname, '../..');
const FRAMES = path.join(ROOT, '.make', 'frames');
/** Time to read what the page shows. */
const READ_MS = 2500;

/** Take pictures while `action` runs, each named after its time in ms. */
async function record(page: Page, action: () => Promise<void>): Promise<void> {
  fs.rmSync(FRAMES, { recursive: true, force: true });
  fs.mkdirSync(FRAMES, { recursive: true });
  let done = false;
  const running = action().finally(() => (done = true));
  const from = Date.now();
  do {
    const at = String(Date.now() - from).padStart(6, '0');
    await page.screenshot({ path: path.join(FRAMES, `${at}.png`) });
  } while (!done);
  return running;
}

test('a cell is refined until its assertions hold', async ({
  notebook,
  page
}) => {
  await page.setViewportSize({ width: 1200, height: 720 });
  const nb = await notebook([
    {
      id: 'task',
      type: 'markdown',
      source:
        '## Vowels\n\nWrite `count_vowels(text)`: how many vowels a text has, in any case.'
    },
    {
      id: 'target',
      source:
        'def count_vowels(text):\n    return sum(text.count(v) for v in "aeiou")'
    },
    {
      id: 'checks',
      source:
        'assert count_vowels("banana") == 3\nassert count_vowels("XYZ") == 0\nassert count_vowels("Eau") == 3'
    }
  ]);
  await page.sidebar.close('left');
  await nb.command('jupyterlab-refine:show-panel');
  await nb.select(1);
  await expect(nb.panel).toContainText('Checks');
  const first = nb.panel.getByRole('button', { name: /^Attempt 1/ });
  await record(nb.page, async () => {
    await page.waitForTimeout(READ_MS);
    await nb.refine();
    const end = nb.panel.getByRole('heading', {
      name: /^(Passed on|Stopped after)/
    });
    await end.waitFor({ timeout: 500_000 });
    // A model may fail, too: then take another model, or another task.
    await expect(end).toContainText('Passed', { timeout: 1000 });
    await page.waitForTimeout(READ_MS);
    await first.click();
    await first.scrollIntoViewIfNeeded();
    await page.waitForTimeout(READ_MS);
  });
  await page.screenshot({ path: path.join(ROOT, 'docs', 'screenshot.png') });
});
