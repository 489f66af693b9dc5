import { answer, expect, model } from '../refine';
import { test } from './fixtures';

/** Two people in one notebook, with jupyter-collaboration. */

const RIGHT = 'def double(n):\n    return n * 2';
const cells = [
  { id: 'target', source: '# double(n): twice n\n' },
  { id: 'checks', source: 'assert double(2) == 4\nassert double(5) == 10' },
  { id: 'notes', source: 'notes = 1' }
];

test('what one person refines, the other one sees and keeps', async ({
  notebook
}) => {
  const open = await notebook(cells, [
    answer('def double(n):\n    return n + 2'),
    answer(RIGHT, { tokensPerSecond: 10 })
  ]);
  const ada = await open('lab');
  const ben = await open('lab');

  await ada.refine(0);
  // Ben writes in another cell meanwhile; no keystroke is lost.
  await ben.cell(2).locator('.cm-content').click();
  await ben.page.keyboard.press('End');
  await ben.page.keyboard.type(' + 41  # typed by Ben', { delay: 30 });
  await ada.expectPassed(2);
  await expect.poll(() => ben.source(0)).toContain(RIGHT);
  await expect.poll(() => ada.source(2)).toBe('notes = 1 + 41  # typed by Ben');
  // Provenance and badge are in the notebook, for both.
  await expect(ben.cell(0).getByText('refined · 2 of 2')).toBeVisible();
  await expect(ada.cell(0).getByText('refined · 2 of 2')).toBeVisible();

  // Ben's edit makes it stale for both, and Ada's restore is seen by Ben.
  await ben.edit(0, `${RIGHT}  # by Ben`);
  await expect(ada.cell(0).getByText(/edited since/)).toBeVisible();
  await ada.button('Restore cell').click();
  await expect.poll(() => ben.source(0)).toBe('# double(n): twice n\n');
});

test('an edit of the other person is not overwritten', async ({ notebook }) => {
  const open = await notebook(cells, [answer(RIGHT, { tokensPerSecond: 4 })]);
  const ada = await open('lab');
  const ben = await open('lab');
  await ada.refine(0);
  await expect(ada.panel.getByText('writing').first()).toBeVisible();
  const own = 'def double(n):\n    return n + n  # by Ben';
  await ben.edit(0, own);
  await expect(ada.question).toContainText('was edited during the session');
  expect(await ada.source(0)).toBe(own);
  await expect(ada.button('Leave unchanged')).toBeFocused();
  await ada.page.keyboard.press('Enter');
  await ada.expectText(/Cell 1 keeps the edit\. Attempt 1 was not written\./);
  await expect(ada.panel.getByText('It is not in the cell.')).toHaveCount(0);
  await expect.poll(() => ben.source(0)).toBe(own);
});

test('of two sessions for one cell, the later one asks', async ({
  notebook
}) => {
  const other = 'def double(n):\n    return n + n';
  const open = await notebook(
    [
      { id: 'prompt', source: '%%refine\ndouble(n): twice n' },
      {
        id: 'target',
        source: '',
        metadata: { jupyterlab_refine: { promptCell: 'prompt' } }
      },
      ...cells.slice(1)
    ],
    [
      answer(RIGHT, { tokensPerSecond: 3 }),
      answer(other, { tokensPerSecond: 1.5 })
    ]
  );
  const ada = await open('lab');
  const ben = await open('lab');
  await ada.run(0);
  await model.expectRequests(1);
  await ben.refine(1);
  await model.expectRequests(2);
  await ada.expectPassed(1);
  // Ben is shown his change of what Ada's session wrote.
  await expect(ben.question).toContainText('Write it to cell 2?');
  await expect(ben.review(1)).toContainText('return n * 2');
  await expect(ben.review(1)).toContainText('return n + n');
  await ben.button('Leave unchanged').click();
  await expect.poll(() => ada.source(1)).toContain(RIGHT);
  expect(await ben.source(1)).toContain(RIGHT);
});

test('Notebook 7 refines, restores, fixes an error and runs %%refine', async ({
  notebook
}) => {
  const wrong = 'def double(n):\n    return n + 2';
  const right = 'def double(n):\n    return n * 2';
  const open = await notebook(
    [
      { id: 'target', source: '# double(n): twice n\n' },
      { id: 'checks', source: 'assert double(2) == 4\nassert double(5) == 10' },
      { id: 'failing', source: 'total = duoble(4)' },
      { id: 'prompt', source: '%%refine\nsquare(n): n times n' },
      { id: 'below', source: 'assert square(3) == 9' }
    ],
    [
      answer(wrong),
      answer(right),
      answer('total = double(4)'),
      answer('def square(n):\n    return n * n')
    ]
  );
  const nb = await open('notebook');
  await nb.refine(0);
  await nb.expectPassed(2);
  expect(await nb.source(0)).toContain(right);
  await nb.button('Compare').click();
  const compared = nb.page.locator('.jp-Refine-compare');
  await expect(compared.getByText('return n + 2')).toBeInViewport();
  await nb.toggle(1).click();
  await expect(nb.panel).toContainText('expected');
  await nb.button('Restore cell').click();
  await expect.poll(() => nb.source(0)).toBe('# double(n): twice n\n');
  await nb.edit(0, right);
  await nb.run(0);

  await nb.run(2);
  await nb.cell(2).getByRole('button', { name: 'Fix error' }).click();
  await nb.expectHeading('Runs; nothing checked');
  await nb.button('Write and run').click();
  await expect.poll(() => nb.evaluate('total')).toBe('8');

  await nb.run(3);
  await nb.expectPassed(1);
  expect(await nb.source(4)).toContain('def square');
});
