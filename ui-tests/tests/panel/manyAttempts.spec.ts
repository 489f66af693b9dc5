/** A session that is too much for the storage of a browser tab. */
import { answer, expect, model, test, userSettings } from '../../refine';

/** More than the tab has room for beside the filler, with their output. */
const ATTEMPTS = 40;
/** Of the first run. */
const MOST = 30;
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
    await nb.command('jupyterlab-refine:more-attempts', {
      count: ATTEMPTS - MOST
    });
    await expect(stopped(ATTEMPTS)).toBeVisible({ timeout: 60_000 });

    await page.reload();
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await expect(stopped(ATTEMPTS)).toBeVisible();
    const rows = panel.getByRole('button', { name: /^Attempt \d+ / });
    await expect(rows).toHaveCount(ATTEMPTS);

    // Code and verdict of all are there; the oldest outputs are not, which is said.
    const attempt = (n: number) =>
      panel.locator('.jp-Refine-attempt').filter({
        has: page.getByRole('button', { name: new RegExp(`^Attempt ${n} `) })
      });
    for (const [n, output] of [
      [1, /^\(removed: the storage of this browser tab is full\)\s*$/],
      [ATTEMPTS - 9, /^number 31\n[a-h \n]{18000,}$/]
    ] as const) {
      const row = attempt(n);
      await row.getByRole('button', { name: /^Attempt/ }).click();
      await expect(row).toContainText('0 of 1');
      // The first has its code, others what they changed of it.
      await row.getByRole('button', { name: /^(code|change)$/ }).click();
      await expect(row).toContainText(`answer = ${n}`);
      await row.getByRole('button', { name: /^More of/ }).click();
      await row.getByRole('button', { name: 'output', exact: true }).click();
      await expect
        .poll(() =>
          row
            .getByRole('region')
            .locator('pre')
            .last()
            .innerText({ timeout: 5000 })
        )
        .toMatch(output);
    }
    await page.screenshot({ path: 'test-results/many-attempts.png' });
  }
);
