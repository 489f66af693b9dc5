/** What the cell holds: the prompt, an accepted attempt, the user's own edits. */
import { answer, expect, model, test } from '../refine';

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
      'Keep my edit'
    ]);
    await expect(
      question.getByRole('button', { name: 'Keep my edit' })
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(nb.panel.locator('.jp-Refine-banner')).toContainText(
      'Cell 1 keeps your edit. Attempt 1 was not written.'
    );
    await expect(nb.panel.getByText('The cell is unchanged.')).toHaveCount(0);
    expect(await nb.source(0)).toBe('# answer: my own edit\n');
  }
);
