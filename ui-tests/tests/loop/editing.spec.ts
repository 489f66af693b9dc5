/** The user's hand on attempts: another one as base, and code of one's own. */
import { answer, expect, model, test, userSettings } from '../../refine';

const cells = [
  { id: 'target', source: '# double(n): twice n' },
  { id: 'check', source: 'assert double(2) == 4\nassert double(3) == 6' }
];

test.describe('after attempts that failed', () => {
  test.use({ mockSettings: userSettings({ maxAttempts: 2 }) });

  test(
    'an edited attempt runs without a call, and attempts go on from one',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({
        answers: [
          {
            text: answer(
              'A square.',
              'def double(n):\n    return n * n # square'
            )
          },
          { text: answer('Nothing.', 'def double(n):\n    return None') },
          {
            match: 'The user chose this attempt to go on from.',
            text: answer('Add.', 'def double(n):\n    return n + n')
          }
        ]
      });
      const nb = await notebook('editing', cells);
      await nb.open();
      await nb.select(0);
      await nb.refine();
      const { panel } = nb;
      await expect(
        panel.getByRole('heading', { name: /Stopped after 2/ })
      ).toBeVisible({ timeout: 45_000 });

      // The second, edited: it runs isolated, and no model is called.
      const row = (n: number) =>
        panel.locator('.jp-Refine-attempt').filter({
          has: page.getByRole('button', { name: new RegExp(`^Attempt ${n} `) })
        });
      await panel.getByRole('button', { name: 'Give a hint' }).click();
      await expect(
        panel.getByPlaceholder('Add a hint, or ask a question…')
      ).toBeFocused();
      await nb.more();
      await row(2).getByRole('button', { name: 'edit' }).click();
      const editor = row(2).getByRole('textbox', { name: 'Code of attempt 2' });
      await expect(editor).toBeFocused();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('double = 1');
      await row(2).getByRole('button', { name: 'Close' }).click();
      await row(2).getByRole('button', { name: 'continue your edit' }).click();
      await expect(editor).toHaveText('double = 1');
      await row(2)
        .getByRole('button', { name: 'Start again from attempt 2' })
        .click();
      await expect(editor).toContainText('return None');
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('double = lambda n: 4');
      await row(2).getByRole('button', { name: 'Run as attempt' }).click();
      await expect(
        row(3).getByText('Edited by you, from attempt 2.')
      ).toBeVisible({ timeout: 45_000 });
      await expect(row(3)).toContainText('1 of 2');
      expect(await model.requests()).toHaveLength(2);
      expect(await nb.source(0)).toBe(cells[0].source);

      // On from the first: its code is what the model refines.
      await row(1)
        .getByRole('button', { name: /^Attempt 1 / })
        .click();
      await nb.more();
      await row(1).getByRole('button', { name: 'continue from this' }).click();
      await nb.expectPassed(4);
      await expect.poll(() => nb.source(0)).toContain('return n + n');
      const [, , third] = await model.requests();
      expect(JSON.stringify(third.body)).toContain('# square');

      // The header leads to the cell, and to other models.
      await nb.select(1);
      await panel.getByRole('button', { name: 'cell 1' }).click();
      await expect(nb.cell(0)).toHaveClass(/jp-mod-active/);
      await panel.getByRole('button', { name: 'Choose a model' }).click();
      const models = panel.getByRole('combobox', { name: 'Model' });
      await models.selectOption('priced\nscripted-model');
      await expect(models).toHaveValue('priced\nscripted-model');
    }
  );
});
