/** The hint box: what is half written stays, what is sent is shown where it was used. */
import { answer, expect, model, test } from '../../refine';

test(
  'a hint half written survives a pass; a sent one names its attempt',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('Guess.', 'answer = 2') },
        { text: answer('As you say.', 'answer = 42') }
      ]
    });
    // The model writes when the test has typed.
    const release: (() => void)[] = [];
    await page.route(
      '**/jupyterlab-refine/v1/chat/completions*',
      async route => {
        await new Promise<void>(resolve => release.push(resolve));
        await route.continue();
      }
    );
    const write = async (attempts: number) => {
      await expect.poll(() => release.length).toBe(attempts);
      release.at(-1)!();
    };
    const nb = await notebook('hints', [
      { id: 'target', source: '# answer: the number 42\n' },
      { id: 'checks', source: 'assert answer == 42' }
    ]);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const { panel } = nb;
    const attempt = (n: number) =>
      panel.locator('.jp-Refine-attempt').filter({
        has: page.getByRole('button', { name: new RegExp(`^Attempt ${n} `) })
      });
    const box = panel.getByRole('textbox', { name: /hint/ });
    await box.click();
    await page.keyboard.type('multiply six by seven');
    await page.keyboard.press('Enter');
    await expect(box).toHaveValue('');
    await expect(
      panel.getByText('For the next attempt: multiply six by seven')
    ).toBeVisible();
    await expect(panel.getByText(/^Hint:/)).toHaveCount(0);
    await write(1);

    await expect(attempt(2)).toContainText('Hint: multiply six by seven');
    await page.keyboard.type('and next time ro');
    await write(2);
    await nb.expectPassed(2);
    const next = panel.getByRole('textbox', { name: /^Ask for a change/ });
    await expect(next).toHaveValue('and next time ro');
    // The user types on where they were.
    await expect(next).toBeFocused();
    await page.keyboard.type('und it');
    await expect(next).toHaveValue('and next time round it');
    await expect(panel.getByText(/^For the next attempt/)).toHaveCount(0);

    await attempt(1)
      .getByRole('button', { name: /^Attempt 1 / })
      .click();
    await expect(attempt(1)).not.toContainText('Hint:');
    await attempt(2)
      .getByRole('button', { name: /^Attempt 2 / })
      .click();
    await expect(attempt(2)).toContainText('Hint: multiply six by seven');
    const requests = await model.requests();
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[0])).not.toContain('six by seven');
    expect(JSON.stringify(requests[1])).toContain('six by seven');
  }
);
