/** What the notebook holds after a session, and a target that is deleted during it. */
import { answer, expect, model, test, type CellInput } from '../../refine';

const cells: readonly CellInput[] = [
  { id: 'free', source: 'kept = 41' },
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];

/** An answer that comes in so slowly that a user can edit meanwhile. */
const slow = (code: string) => ({
  text: answer('x '.repeat(100), code),
  tokensPerSecond: 12
});

test(
  'an assertion that is edited after a pass is said to be, and its failure counts',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: answer('It is.', 'answer = 42') }] });
    const nb = await notebook('edited-check', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(1);

    await nb.edit(2, 'assert answer == 43');
    await nb.run(2);
    await expect(
      nb.panel.getByRole('heading', {
        name: 'Passed on attempt 1, but cell 3 failed in the notebook: AssertionError'
      })
    ).toBeVisible();
  }
);

test(
  'deleting the target ends the session; undoing it goes on',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('Guess.', 'answer = 1') },
        { ...slow('answer = 2'), tokensPerSecond: 2 },
        { text: answer('Name it.', 'answer = 42') }
      ]
    });
    const nb = await notebook('deleted', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(2);
    await nb.select(1);
    await page.keyboard.press('d');
    await page.keyboard.press('d');
    await expect
      .poll(async () => (await model.requests())[1].state, { timeout: 3000 })
      .toBe('aborted');
    await expect(
      nb.panel.getByRole('heading', {
        name: /^The cell was deleted during the session/
      })
    ).toBeVisible();
    await expect(
      nb.panel.getByText(
        'All attempts are kept. Undo the deletion to continue.'
      )
    ).toBeVisible();
    await expect(
      nb.panel.getByRole('button', { name: /^Attempt 1/ })
    ).toBeVisible();
    await page.screenshot({ path: 'test-results/deleted.png' });
    await page.keyboard.press('z');
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
    await expect(nb.panel.getByText('The cell is back.')).toBeVisible();
    await page.screenshot({ path: 'test-results/back.png' });
    await nb.panel.getByRole('button', { name: 'Resume' }).click();
    await nb.expectPassed(3);
    expect(await nb.source(1)).toBe('# answer: the number 42\nanswer = 42');
  }
);
