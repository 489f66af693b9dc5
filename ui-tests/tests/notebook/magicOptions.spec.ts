/** Options of a `%%refine` line, and the line magic. */
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
