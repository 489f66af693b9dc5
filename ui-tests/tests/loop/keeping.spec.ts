/** What the cell holds: the prompt, an accepted attempt, the best that did not pass, the user's own edits. */
import { answer, expect, model, test, userSettings } from '../../refine';

const START = '# answer: the number 42\n';
const cells = [
  { id: 'target', source: START },
  { id: 'checks', source: 'assert answer == 42' }
];

test(
  'the prompt stays; Restore keeps an edit one undo away',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [{ text: answer('Say it.', 'answer = 42') }] });
    const nb = await notebook('restore', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
    const written = `${START}answer = 42`;
    await expect.poll(() => nb.source(0)).toBe(written);
    await expect.poll(() => nb.evaluate('answer')).toBe('42');

    await nb.cell(0).locator('.cm-content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('  # mine');
    await expect.poll(() => nb.source(0)).toBe(`${written}  # mine`);
    await nb.command('jupyterlab-refine:restore');
    await expect.poll(() => nb.source(0)).toBe(START);
    await expect(nb.panel.getByRole('alertdialog')).toHaveCount(0);
    await expect(
      nb.panel.getByText('Undo in the cell brings your edit back.')
    ).toBeVisible();
    await expect(nb.panel.locator('.jp-mod-primary')).toHaveText([
      'Use attempt 1'
    ]);
    await nb.cell(0).locator('.cm-content').click();
    await page.keyboard.press('Control+z');
    await expect.poll(() => nb.source(0)).toBe(`${written}  # mine`);
  }
);

test(
  'an edit that was kept is reported, not called unchanged',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        {
          text: answer('Say it. '.repeat(40), 'answer = 42'),
          tokensPerSecond: 15
        }
      ]
    });
    const nb = await notebook('kept', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    await nb.edit(0, '# answer: my own edit\n');
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText('Cell 1 was edited', {
      timeout: 60_000
    });
    await expect(nb.panel.locator('.jp-mod-primary')).toHaveText([
      'Leave unchanged'
    ]);
    await expect(
      question.getByRole('button', { name: 'Leave unchanged' })
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(nb.panel.locator('.jp-Refine-banner')).toContainText(
      'Cell 1 keeps the edit. Attempt 1 was not written.'
    );
    await expect(nb.panel.getByText('The cell is unchanged.')).toHaveCount(0);
    expect(await nb.source(0)).toBe('# answer: my own edit\n');
  }
);

test.describe('keepBest ask', { tag: '@full' }, () => {
  test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

  test('offers the best; once written it is marked as not passed', async ({
    notebook
  }) => {
    const two = [
      cells[0],
      { id: 'checks', source: 'assert answer > 0\nassert answer == 42' }
    ];
    await model.load({ answers: [{ text: answer('Say it.', 'answer = 41') }] });
    const nb = await notebook('best', two);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const use = nb.panel.getByRole('button', { name: 'Use attempt 1' });
    await expect(use).toBeVisible({ timeout: 45_000 });
    expect(await nb.source(0)).toBe(START);
    await use.click();
    const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
    await review.getByRole('button', { name: 'Accept' }).first().click();
    await review.getByRole('button', { name: 'Write only' }).click();
    await expect.poll(() => nb.source(0)).toBe(`${START}answer = 41`);
    expect(await nb.metadata(0)).toMatchObject({
      jupyterlab_refine: {
        result: {
          notPassed: true,
          stopReason: 'max-attempts',
          passed: 1,
          total: 2
        }
      }
    });
    await expect(nb.cell(0)).toContainText('not passed');
    // Not run: the name is not there.
    expect(await nb.evaluate("'answer' in globals()")).toBe('False');
  });
});
