/** Earlier sessions of a notebook: listed after a reload, and read. */
import { answer, expect, model, test, userSettings } from '../../refine';

test.describe('one attempt', () => {
  test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

  test(
    'earlier sessions survive a reload',
    { tag: '@full' },
    async ({ notebook }) => {
      await model.load({
        answers: [
          { text: answer('Wrong.', 'print("first")\ntotal = 1') },
          { text: answer('Right.', 'total = 10') }
        ]
      });
      const nb = await notebook('history', [
        { id: 'target', source: '# total: 10\n' },
        { id: 'checks', source: 'assert total == 10' },
        {
          id: 'secret',
          source: 'assert total != 4711',
          tags: ['refine-holdout']
        }
      ]);
      await nb.open();
      await nb.select(0);
      await nb.refine();
      await expect(
        nb.panel.getByRole('heading', { name: /Stopped after 1/ })
      ).toBeVisible({ timeout: 60_000 });
      await nb.select(0);
      await nb.refine();
      await nb.expectPassed(1);
      // Written in the background.
      const stored = () =>
        nb.page.evaluate(
          () =>
            new Promise<string>(resolve => {
              const request = indexedDB.open('jupyterlab-refine');
              request.onsuccess = () => {
                const all = request.result
                  .transaction('sessions')
                  .objectStore('sessions')
                  .getAll();
                all.onsuccess = () => {
                  request.result.close();
                  resolve(JSON.stringify(all.result));
                };
              };
            })
        );
      await expect
        .poll(async () => (JSON.parse(await stored()) as unknown[]).length)
        .toBe(2);
      expect(await stored()).not.toContain('4711');

      await nb.page.reload();
      await nb.waitForKernel();
      await nb.select(0);
      await nb.command('jupyterlab-refine:history');
      const first = nb.panel.getByRole('button', {
        name: 'Cell 1: 1 attempt, no pass'
      });
      await expect(
        nb.panel.getByRole('button', { name: 'Cell 1: passed on attempt 1' })
      ).toBeVisible({ timeout: 30_000 });
      await nb.page.screenshot({ path: 'test-results/history.png' });
      await first.focus();
      await nb.page.keyboard.press('Enter');
      await expect(nb.panel.getByText('read only')).toBeVisible();
      await expect(
        nb.panel.getByText('total = 1', { exact: true })
      ).toBeVisible();
      await expect(
        nb.panel.getByRole('button', { name: 'Use this' })
      ).toHaveCount(0);
      await nb.page.screenshot({ path: 'test-results/history-one.png' });
      await nb.more();
      await nb.panel.getByRole('button', { name: 'compare' }).first().click();
      const compared = nb.page.getByRole('region', {
        name: /^Compare cell 1, /
      });
      await expect(compared).toContainText('total = 1');
      await expect(
        compared.getByRole('combobox', { name: 'Compare with' })
      ).toHaveValue('1');
      await nb.page.screenshot({ path: 'test-results/history-compare.png' });
    }
  );
});
