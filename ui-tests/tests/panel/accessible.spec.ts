/** axe over the states of the panel, of a review and of the other things that we add, in both themes. */
import type { Page } from '@playwright/test';
import { expectAccessible } from '../../axe';
import { answer, expect, model, test, userSettings } from '../../refine';

const START = 'def total():\n    return 1\n\ndef label():\n    return "a"';
const cells = [
  { id: 'target', source: START },
  { id: 'checks', source: 'assert total() == 4\nassert label() == "a"' },
  { id: 'other', source: '# other: the number 1\n' },
  { id: 'other-checks', source: 'assert other == 1' },
  { id: 'failing', source: 'row = {"a": 1}\nrow["b"]' }
];

test.describe('two attempts', () => {
  test.use({
    mockSettings: userSettings({ maxAttempts: 2, contextValues: 'samples' })
  });

  test('a session is accessible, from its start to its comparison', async ({
    notebook
  }) => {
    await model.load({
      answers: [
        {
          text: answer(
            'Raise.',
            START.replace(
              'return 1',
              'wrong = [2]\n    raise ValueError(wrong)'
            )
          )
        },
        {
          text: answer('Three. '.repeat(40), START.replace('1', '3')),
          tokensPerSecond: 5
        },
        { text: 'It **adds** `1`.\n\n- and so on', match: 'why' }
      ]
    });
    const nb = await notebook('accessible', cells);
    await nb.open();
    const { page, panel } = nb;
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await panel.getByRole('button', { name: /What will be sent/ }).click();
    await expect(panel.getByText('You write one cell')).toBeVisible();
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(2);
    await expectAccessible(page);
    await nb.command('jupyterlab-refine:stop');
    await expect(
      panel.getByRole('heading', { name: /You stopped/ })
    ).toBeVisible();
    await panel.getByRole('button', { name: /^Attempt 1 / }).click();
    await nb.more();
    for (const name of ['prompt', 'traceback', 'locals', 'edit']) {
      await panel.getByRole('button', { name, exact: true }).last().click();
    }
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Close', exact: true }).click();
    const box = panel.getByRole('textbox', { name: /hint/ });
    await box.fill('why?');
    await box.press('Alt+Enter');
    await expect(panel.getByText('and so on')).toBeVisible();
    await expectAccessible(page);

    await nb.more();
    await panel
      .getByRole('button', { name: 'compare', exact: true })
      .last()
      .click();
    await page.getByRole('tabpanel', { name: 'Compare cell 1' }).waitFor();
    await expectAccessible(page);
  });
});

test(
  'a review, an explanation and the history are accessible',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: 'There is no `b`.', match: 'Why does' },
        {
          text: answer(
            'Four.',
            START.replace('1', '4').replace('"a"', '"a"  # kept')
          ),
          times: 0
        }
      ]
    });
    const nb = await notebook('accessible-review', cells);
    await nb.open();
    const { page, panel } = nb;
    await nb.run(4);
    await nb.cell(4).getByRole('button', { name: 'Explain' }).click();
    await expect(panel.getByText('There is no')).toBeVisible();
    await expectAccessible(page);
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Restore cell' }).click();
    await expect.poll(() => nb.source(0)).toBe(START);
    await panel.getByRole('button', { name: 'Use attempt 1' }).click();
    const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
    await expect(review).toContainText('2 parts to review');
    await expectAccessible(page);
    await review.getByRole('button', { name: 'Leave unchanged' }).click();
    await nb.command('jupyterlab-refine:history');
    await panel.getByRole('button', { name: /^Cell 1: passed/ }).waitFor();
    await expectAccessible(page);
  }
);

test(
  'the entries of the settings form are accessible',
  { tag: '@full' },
  async ({ page: galataPage }) => {
    const page = galataPage as unknown as Page;
    await page.goto('');
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('settingeditor:open', {
        query: 'Refine'
      })
    );
    await expect(page.getByLabel('Generator model')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'All settings' }).click();
    await expect(page.getByLabel('Evaluator model')).toBeVisible();
    await expectAccessible(page);
  }
);
