import { answer, expect, model, test, userSettings } from '../../refine';

const cells = [
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];

test.describe('a human evaluator', { tag: '@full' }, () => {
  test.use({
    mockSettings: userSettings({ evaluators: ['assertions', 'human'] })
  });

  test('rejects with a hint, notifies from a hidden panel, approves', async ({
    notebook,
    page
  }) => {
    await model.load({
      answers: [
        { text: answer('Say it.', 'answer = 42') },
        // Long enough to hide the panel meanwhile.
        {
          text: answer(
            'Multiply, since a product was asked for. '.repeat(12),
            'answer = 6 * 7'
          ),
          tokensPerSecond: 30
        }
      ]
    });
    const nb = await notebook('review', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText(
      'Attempt 1 passes its checks. Approve it?',
      { timeout: 45_000 }
    );
    await expect(nb.panel.getByText('1 of 1').first()).toBeVisible();
    await expect(question.getByRole('textbox')).toBeFocused();
    expect(await nb.source(0)).toBe(cells[0].source);
    await page.keyboard.type('Use a product');
    await page.keyboard.press('Enter');
    await expect(question).toBeHidden();

    await expect(question).toContainText(
      'Attempt 2 passes its checks. Approve it?'
    );
    expect(JSON.stringify((await model.requests())[1].body)).toContain(
      'Use a product'
    );
    await question.getByRole('textbox').focus();
    await page.keyboard.press('Tab');
    await expect(
      question.getByRole('button', { name: 'Approve' })
    ).toBeFocused();
    await page.keyboard.press('Enter');
    await nb.expectPassed(2);
    expect(await nb.source(0)).toBe(`${cells[0].source}answer = 6 * 7`);
  });
});

test.describe('approveExecution', { tag: '@full' }, () => {
  test.use({ mockSettings: userSettings({ approveExecution: true }) });

  test('shows the code first; a hint goes on without it, Run runs it', async ({
    notebook,
    page
  }) => {
    const code = 'answer = 40\nanswer += 2';
    await model.load({
      answers: [
        { text: answer('Shout.', 'print("ran"); answer = 42') },
        { text: answer('Add up.', code), match: 'print nothing' }
      ]
    });
    const nb = await notebook('leave', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText('Run attempt 1?', { timeout: 45_000 });
    await expect(question).toContainText('print("ran")');
    await expect(question.getByRole('textbox')).toBeFocused();
    await page.keyboard.type('print nothing');
    await page.keyboard.press('Enter');
    await expect(question).toContainText('Run attempt 2?', { timeout: 45_000 });
    await expect(
      nb.panel.getByText('Not run: you declined it.').first()
    ).toBeVisible();
    expect(await nb.source(0)).toBe(cells[0].source);
    await question
      .getByRole('button', { name: 'Run', exact: true })
      .click({ timeout: 45_000 });
    await nb.expectPassed(2);
    expect(await nb.source(0)).toBe(`${cells[0].source}${code}`);

    await nb.edit(0, '# answer: the number 41');
    await nb.edit(1, 'assert answer == 41');
    await model.load({ answers: [{ text: answer('Less.', 'answer = 41') }] });
    await nb.refine();
    await question
      .getByRole('button', { name: 'Don’t run and stop' })
      .click({ timeout: 45_000 });
    await expect(
      nb.panel.getByRole('heading', { name: 'You rejected the attempt' })
    ).toBeVisible();
  });
});
