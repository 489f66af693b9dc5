/** A session that is too much for the storage of a browser tab. */
import { answer, expect, model, test, userSettings } from '../../refine';

/** More than the tab has room for beside the filler, with their output. */
const ATTEMPTS = 40;
/** Of the first run. */
const MOST = 37;
/** Characters of somebody else's; a tab has room for 5 million. */
const FILLER = 4_600_000;

test.use({
  mockSettings: userSettings({ maxAttempts: MOST, patience: null })
});

/** Different text in each attempt, so that all of it together is too much for the tab. */
const code = (n: number) =>
  `import random\nanswer = ${n}\nprint(f"number {answer}")\n` +
  'print("".join(random.choices("abcdefgh \\n", k=19000)))';

test(
  'a session that fills the tab’s storage is complete after a reload',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: Array.from({ length: ATTEMPTS }, (_, i) => ({
        text: answer('Guess.', code(i + 1))
      }))
    });
    const nb = await notebook('many-attempts', [
      { id: 'target', source: '# answer: minus one\n' },
      { id: 'checks', source: 'assert answer == -1' }
    ]);
    await nb.open();
    const { panel } = nb;
    const stopped = (n: number) =>
      panel.getByRole('heading', { name: new RegExp(`Stopped after ${n} `) });
    await page.evaluate(
      length => sessionStorage.setItem('filler', 'x'.repeat(length)),
      FILLER
    );
    await nb.select(0);
    await nb.refine();
    await expect(stopped(MOST)).toBeVisible({ timeout: 60_000 });
    await panel.getByRole('button', { name: 'Try 3 more' }).click();
    await expect(stopped(ATTEMPTS)).toBeVisible({ timeout: 60_000 });

    await page.reload();
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await expect(stopped(ATTEMPTS)).toBeVisible();
    const rows = panel.getByRole('button', { name: /^Attempt \d+ / });
    await expect(rows).toHaveCount(ATTEMPTS);

    // Code and verdict of all are there; what was printed before the tab was full is not, which is said.
    const first = panel.locator('.jp-Refine-attempt').last();
    await first.getByRole('button', { name: /^Attempt 1 / }).click();
    await expect(first).toContainText('0 of 1');
    await first.getByRole('button', { name: 'code', exact: true }).click();
    await expect(first).toContainText('answer = 1');
    await first.getByRole('button', { name: /^More of/ }).click();
    await first.getByRole('button', { name: 'output', exact: true }).click();
    await expect(first.getByRole('region').locator('pre')).toHaveText(
      /^\(removed: the storage of this browser tab is full\)\s*$/
    );
    await page.screenshot({ path: 'test-results/many-attempts.png' });
  }
);
