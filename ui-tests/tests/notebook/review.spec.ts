import { answer, expect, model, test, userSettings } from '../../refine';

const START = [
  'def area(width, height):',
  '    return width + height',
  '',
  '# These lines stay.',
  'a = 1',
  'b = 2',
  'c = 3',
  'd = 4',
  '',
  'def label(n):',
  '    return str(n)'
].join('\n');
const RIGHT = START.replace('width + height', 'width * height').replace(
  'return str(n)',
  "return f'{n} m2'"
);
const cells = [
  { id: 'target', source: START },
  { id: 'checks', source: 'assert area(2, 3) == 6\nassert area(0, 3) == 0' }
];

test.describe('onPass ask', { tag: '@full' }, () => {
  test.use({ mockSettings: userSettings({ onPass: 'ask' }) });

  test('a pass is reviewed in the cell, part by part, by keyboard', async ({
    notebook
  }) => {
    await model.load({ answers: [{ text: answer('Multiply.', RIGHT) }] });
    const nb = await notebook('review', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
    await expect(review).toContainText('2 parts to review');
    await expect(nb.panel.getByRole('alertdialog')).toContainText(
      'You can reject parts of it there; the rest is written.'
    );
    expect(await nb.source(0)).toBe(START);
    // The first part is right, the second was not asked for.
    await review.getByRole('button', { name: 'Accept' }).first().focus();
    await nb.page.keyboard.press('Enter');
    await expect(review).toContainText('1 part to review');
    await nb.page.keyboard.press('Tab');
    await nb.page.keyboard.press('Enter');
    await expect(review).toContainText('All parts reviewed');
    expect(await nb.source(0)).toBe(START);
    await review.getByRole('button', { name: 'Write and run' }).focus();
    await nb.page.keyboard.press('Enter');
    await expect(review).toHaveCount(0);
    expect(await nb.source(0)).toBe(
      START.replace('width + height', 'width * height')
    );
    await expect(nb.panel).toContainText(
      'The accepted parts were written to cell 1 and run.'
    );
  });
});

test.describe('one attempt', { tag: '@full' }, () => {
  test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

  test('a chosen attempt is reviewed, and left out again', async ({
    notebook
  }) => {
    const wrong = START.replace('width + height', 'width * 2');
    await model.load({ answers: [{ text: answer('Subtract.', wrong) }] });
    const nb = await notebook('choose', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await nb.panel.getByRole('button', { name: 'Use attempt 1' }).click();
    const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
    await expect(review).toContainText('1 part to review');
    await review.getByRole('button', { name: 'Reject' }).click();
    await expect(review).toContainText('All parts reviewed');
    await review.getByRole('button', { name: 'Leave unchanged' }).click();
    await expect(review).toHaveCount(0);
    await expect(nb.panel.getByRole('alertdialog')).toHaveCount(0);
    expect(await nb.source(0)).toBe(START);
  });
});
