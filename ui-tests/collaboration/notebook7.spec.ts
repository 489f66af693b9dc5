/** The main paths in Notebook 7. */
import { answer, expect, model } from '../refine';
import { test } from './fixtures';

test('Notebook 7 refines, reviews, restores and fixes an error', async ({
  notebook
}) => {
  const wrong = 'def double(n):\n    return n + 2';
  const right = 'def double(n):\n    return n * 2';
  await model.load({
    answers: [
      { text: answer('Add.', wrong) },
      { text: answer('Multiply.', right) },
      { text: answer('Use the right name.', 'total = double(4)') }
    ]
  });
  const open = notebook([
    { id: 'target', source: '# double(n): twice n\n' },
    { id: 'checks', source: 'assert double(2) == 4\nassert double(5) == 10' },
    { id: 'failing', source: 'total = duoble(4)' }
  ]);
  const nb = await open('notebook');

  await nb.select(0);
  await nb.refine();
  await nb.expectPassed(2);
  expect(await nb.source(0)).toContain(right);
  await nb.panel.getByRole('button', { name: /^Attempt 1/ }).click();
  await expect(nb.panel).toContainText('expected');
  await nb.panel.getByRole('button', { name: 'Restore cell' }).click();
  await expect.poll(() => nb.source(0)).toBe('# double(n): twice n\n');
  await nb.edit(0, right);
  await nb.run(0);

  await nb.run(2);
  await nb.cell(2).getByRole('button', { name: 'Fix error' }).click();
  await expect(
    nb.panel.getByRole('heading', { name: 'Runs; nothing checked' })
  ).toBeVisible({ timeout: 45_000 });
  await nb.panel.getByRole('button', { name: 'Write and run' }).click();
  await expect.poll(() => nb.evaluate('total')).toBe('8');
});

test('%%refine runs in Notebook 7', async ({ notebook }) => {
  await model.load({
    answers: [{ text: answer('Square.', 'def square(n):\n    return n * n') }]
  });
  const open = notebook([
    { id: 'prompt', source: '%%refine\nsquare(n): n times n' },
    { id: 'below', source: 'value = 1' }
  ]);
  const nb = await open('notebook');
  await nb.edit(1, 'assert square(3) == 9');
  await nb.run(0);
  await nb.expectPassed(1);
  expect(await nb.source(1)).toContain('def square');
});
