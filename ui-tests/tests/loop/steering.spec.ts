/** A session in the user's hands: pause, step, stop, resume, reload. */
import { answer, expect, model, test } from '../../refine';

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
    await nb.open();
    await nb.select(0);
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
    await nb.open();
    await nb.select(0);
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
      panel.getByRole('button', { name: /^Attempt 2.*interrupted/ })
    ).toBeVisible();
    await expect(panel.getByText('writing')).toHaveCount(0);
    await expect(
      panel.getByRole('button', { name: 'Use attempt 1' })
    ).toBeVisible();
    await panel.getByRole('button', { name: 'Resume' }).click();
    await nb.expectPassed(3);
    await expect(
      panel.getByRole('button', { name: /^Attempt 2.*interrupted/ })
    ).toBeVisible();
  }
);
