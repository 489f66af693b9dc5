/** Options of a `%%refine` line, the line magic, and both in a code console. */
import { answer, expect, model, test } from '../../refine';

test(
  'an unknown option is an error of the cell, and nothing starts',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: answer('Set.', 'answer = 42') }] });
    const nb = await notebook('options', [
      {
        id: 'prompt',
        source: '%%refine --max-atempts 1\nanswer: the number 42'
      },
      { id: 'checks', source: 'assert answer == 42' },
      { id: 'line', source: '%refine' }
    ]);
    await nb.open();
    await nb.run(0);
    await expect(
      nb.cell(0).getByText(/UsageError: .*Did you mean max-attempts\?/)
    ).toBeVisible();
    await nb.run(2);
    await expect(nb.cell(2).getByText('Refine: no session.')).toBeVisible();
    await nb.edit(0, '%%refine --max-attempts some\nanswer: the number 42');
    await nb.run(0);
    await expect(
      nb.cell(0).getByText(/UsageError: .*max-attempts/)
    ).toBeVisible();
    expect(await model.requests()).toHaveLength(0);
    await nb.edit(0, '%%refine --max-attempts 1\nanswer: the number 42');
    await nb.run(0);
    await nb.expectPassed(1);
    await nb.run(3);
    await expect(nb.cell(3).getByText(/passed on attempt 1/)).toBeVisible();
  }
);

test('Tab completes options of %%refine and their values', async ({
  notebook,
  page
}) => {
  const nb = await notebook('completion', [{ id: 'prompt', source: '' }]);
  await nb.open();
  await nb.cell(0).locator('.cm-content').click();
  await page.keyboard.type('%%refine --mem');
  await page.keyboard.press('Tab');
  // The kernel offers names of its own below.
  const items = page.locator('.jp-Completer-item');
  await expect(items.first()).toHaveText(/memoryoption$/);
  await page.keyboard.press('Enter');
  await page.keyboard.type(' b');
  await page.keyboard.press('Tab');
  await expect(items.first()).toHaveText(/bestvalue$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => nb.source(0)).toBe('%%refine --memory best');
});

test(
  '%refine stop ends the session',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('x '.repeat(900), 'answer = 1'), tokensPerSecond: 5 }
      ]
    });
    const nb = await notebook('line-stop', [
      { id: 'target', source: '# answer: the number 42\n' },
      { id: 'checks', source: 'assert answer == 42' },
      { id: 'line', source: '%refine stop' }
    ]);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    await nb.run(2);
    await expect(
      nb.panel.getByRole('heading', { name: /You stopped/ })
    ).toBeVisible();
    await expect(nb.cell(2).getByText('Refine: stopped.')).toBeVisible();
  }
);

test('a code console prints one sentence, whatever the kernel ran', async ({
  notebook,
  page
}) => {
  await model.load({ answers: [{ text: answer('Set.', 'answer = 42') }] });
  const nb = await notebook('console', [
    { id: 'prompt', source: '%%refine\nanswer: the number 42' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  // The kernel knows `%%refine` for this one cell.
  await nb.run(0);
  await nb.expectPassed(1);
  await nb.command('notebook:create-console', { insertMode: 'split-right' });
  const code = page.locator('.jp-CodeConsole-promptCell .cm-content');
  const outputs = page.locator('.jp-CodeConsole-content .jp-OutputArea-output');
  for (const [i, source] of ['%%refine\nanswer: 42', '%refine'].entries()) {
    await code.click();
    await page.keyboard.insertText(source);
    await page.keyboard.press('Shift+Enter');
    await expect(outputs).toHaveCount(i + 1);
    await expect(outputs.nth(i)).toHaveText(
      /^Refine: nothing was refined\. Run this cell in a notebook .*NOTEBOOK`\.\s*$/
    );
  }
  expect(await model.requests()).toHaveLength(1);
});
