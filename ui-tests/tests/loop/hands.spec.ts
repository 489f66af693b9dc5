/** The user's hand: drafts, edited attempts, pause, step, stop and resume. */
import { answer, expect, model, test, userSettings } from '../../refine';

test.describe('drafting', () => {
  const cells = [
    {
      id: 'target',
      source: '# double(n): twice n; double(2) is 4, double(0) is 0\n'
    },
    { id: 'later', source: 'print("later")' }
  ];

  const DRAFT = answer(
    'The examples.',
    [
      'assert double(2) == 4',
      'assert double(0) == 0',
      'assert double(3) == double(3)'
    ].join('\n')
  );

  test(
    'drafts are shown, chosen, inserted, and undone in one step',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({ answers: [{ text: DRAFT }] });
      const nb = await notebook('drafts', cells);
      await nb.open(0);
      await nb.command('jupyterlab-refine:show-panel');
      await nb.panel.getByRole('button', { name: 'Draft assertions' }).click();
      const question = nb.panel.getByRole('alertdialog');
      await expect(question).toContainText(
        /drafted assertions? for cell 1, unverified/,
        {
          timeout: 45_000
        }
      );
      const boxes = question.getByRole('checkbox');
      await expect(boxes.first()).toBeChecked();
      await expect(boxes.first()).toBeFocused();
      const zero = question.getByRole('checkbox', { name: /double\(0\)/ });
      await zero.focus();
      await page.keyboard.press('Space');
      await expect(zero).not.toBeChecked();
      // Nothing is in the notebook yet.
      await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(2);
      await question.getByRole('button', { name: /^Approve/ }).click();
      await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
      const inserted = await nb.source(1);
      expect(inserted).toContain('assert double(2) == 4');
      expect(inserted).not.toContain('double(3)');
      expect(inserted).not.toContain('double(0)');
      expect(await nb.metadata(1)).toMatchObject({
        tags: ['refine-assert'],
        jupyterlab_refine: { target: 'target', generated: true, approved: true }
      });
      await expect(
        nb.panel.getByText(/^Checks \d assertions? below$/)
      ).toBeVisible();

      await nb.select(2);
      await page.keyboard.press('z');
      await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(2);
      await expect(
        nb.panel.getByText('Nothing checks this cell yet.')
      ).toBeVisible();
    }
  );
});

test.describe('editing', () => {
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
        await nb.open(0);
        await nb.refine();
        const { panel } = nb;
        await expect(
          panel.getByRole('heading', { name: /Stopped after 2/ })
        ).toBeVisible({ timeout: 45_000 });

        // The second, edited: it runs isolated, and no model is called.
        const row = (n: number) =>
          panel.locator('.jp-Refine-attempt').filter({
            has: page.getByRole('button', {
              name: new RegExp(`^Attempt ${n} `)
            })
          });
        await panel.getByRole('button', { name: 'Give a hint' }).click();
        await expect(
          panel.getByPlaceholder('Add a hint, or ask a question…')
        ).toBeFocused();
        await nb.more();
        await row(2).getByRole('button', { name: 'edit' }).click();
        const editor = row(2).getByRole('textbox', {
          name: 'Code of attempt 2'
        });
        await expect(editor).toBeFocused();
        await page.keyboard.press('Control+a');
        await page.keyboard.type('double = 1');
        await row(2).getByRole('button', { name: 'Close' }).click();
        await row(2)
          .getByRole('button', { name: 'continue your edit' })
          .click();
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
        await row(1)
          .getByRole('button', { name: 'continue from this' })
          .click();
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
        await models.selectOption('priced/scripted-model');
        await expect(models).toHaveValue('priced/scripted-model');
      }
    );
  });
});

test.describe('steering', () => {
  const cells = [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer > 1\nassert answer == 42' }
  ];
  const filler = '# more\n'.repeat(400);

  test(
    'a pause is named, left step by step, and resumed by keyboard',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({
        answers: [
          {
            text: answer('Guess. '.repeat(30), 'answer = 2'),
            tokensPerSecond: 30
          },
          { text: answer('Guess again.', 'answer = 3') },
          { text: answer('Compute.', 'answer = 42') }
        ]
      });
      const nb = await notebook('pause', cells);
      await nb.open(0);
      await nb.refine();
      const { panel } = nb;
      await expect(panel.getByText('writing').first()).toBeVisible();
      await panel.getByRole('button', { name: 'Pause' }).click();
      const progress = panel.getByRole('region', { name: 'Progress' });
      await expect(progress.getByText('Paused after attempt 1')).toBeVisible();
      await expect(panel.getByText('judging')).toHaveCount(0);

      const step = panel.getByRole('button', { name: 'Step' });
      await step.focus();
      await page.keyboard.press('Enter');
      await expect(progress.getByText('Paused after attempt 2')).toBeVisible();
      expect(await model.requests()).toHaveLength(2);

      await panel.getByRole('button', { name: 'Stop' }).click();
      await expect(
        panel.getByRole('heading', { name: /^You stopped attempt 2/ })
      ).toBeVisible();
      await expect(panel.locator('.jp-mod-primary')).toHaveText(['Resume']);
      await panel.getByRole('button', { name: 'Resume' }).focus();
      await page.keyboard.press('Enter');
      await nb.expectPassed(3);
    }
  );

  test(
    'an attempt that a reload interrupted says so, and the session resumes',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({
        answers: [
          { text: answer('First.', 'answer = 2') },
          {
            text: answer('Second.', `answer = 3\n${filler}`),
            tokensPerSecond: 20
          },
          { text: answer('Third.', 'answer = 42') }
        ]
      });
      const nb = await notebook('interrupted', cells);
      await nb.open(0);
      await nb.refine();
      const { panel } = nb;
      await expect(panel.getByText('answer = 3').first()).toBeVisible();
      await page.waitForTimeout(800);
      await page.reload();
      await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
      await nb.waitForKernel();
      await nb.select(0);
      await nb.command('jupyterlab-refine:show-panel');
      await expect(
        panel.getByRole('button', { name: /^Attempt 2.*Interrupted/ })
      ).toBeVisible();
      await expect(panel.getByText('writing')).toHaveCount(0);
      await expect(
        panel.getByRole('button', { name: 'Use attempt 1' })
      ).toBeVisible();
      await panel.getByRole('button', { name: 'Resume' }).click();
      await nb.expectPassed(3);
      await expect(
        panel.getByRole('button', { name: /^Attempt 2.*Interrupted/ })
      ).toBeVisible();
    }
  );
});
