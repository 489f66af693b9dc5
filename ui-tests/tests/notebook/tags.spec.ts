/** Tagged cells and those that check by their place. */
import { answer, expect, model, test } from '../../refine';

const cells = [
  {
    id: 'data',
    source: 'y_test = [1, 2]',
    tags: ['refine-hide: y_test']
  },
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'below', source: 'assert answer > 40\nassert answer < 100' },
  { id: 'tagged', source: 'assert answer == 42', tags: ['refine-assert'] },
  { id: 'idle', source: ' ', tags: ['refine-holdout'] }
];

test('a tag adds a check, and the plan lists all of them', async ({
  notebook
}) => {
  await model.load({
    answers: [
      { text: answer('Guess.', 'answer = 41') },
      { text: answer('Add one.', 'answer = 42') }
    ]
  });
  const nb = await notebook('tags', cells);
  await nb.open();
  await nb.select(1);
  await nb.command('jupyterlab-refine:show-panel');
  const { panel } = nb;
  await expect(
    panel.getByText(/cell 5: Tagged as a check, but it asserts nothing/)
  ).toBeVisible();
  const plan = panel.getByRole('button', { name: /^Checks \d/ });
  await expect(plan).toHaveText('Checks 3 assertions below · 1 hidden name');
  await plan.focus();
  await nb.page.keyboard.press('Enter');
  const list = panel.getByRole('list', { name: 'Checks of this cell' });
  await expect(list.getByRole('listitem')).toHaveText([
    'cell 3: 2 assertions',
    'cell 4: 1 assertion, tagged',
    'cell 5: checks nothing',
    'cell 1: hides y_test'
  ]);
  await nb.page.keyboard.press('Tab');
  await nb.page.keyboard.press('Enter');
  await expect(nb.cell(2)).toHaveClass(/jp-mod-active/);

  await nb.select(1);
  const only = panel.getByLabel('Use only tagged cells as checks');
  await only.click();
  await expect(plan).toHaveText('Checks 1 assertion below · 1 hidden name');
  await expect(list).toContainText('cell 3: left out, not tagged');
  expect(await nb.metadata(1)).toMatchObject({
    jupyterlab_refine: { onlyTagged: true }
  });
  await only.click();
  await expect(plan).toHaveText('Checks 3 assertions below · 1 hidden name');
  expect(await nb.metadata(1)).not.toHaveProperty('jupyterlab_refine');

  await nb.edit(4, 'assert answer % 2 == 0');
  await expect(plan).toContainText('1 held out');
  // Commands change the role, one at most.
  await nb.select(3);
  await nb.command('jupyterlab-refine:toggle-scorer');
  await expect
    .poll(() => nb.metadata(3))
    .toMatchObject({ tags: ['refine-scorer'] });
  await nb.command('jupyterlab-refine:toggle-assertion');
  await expect
    .poll(() => nb.metadata(3))
    .toMatchObject({ tags: ['refine-assert'] });
  await nb.select(1);
  await nb.refine();
  await nb.expectPassed(2);
  await expect(panel.getByText('3 of 3 and 1 held out')).toBeVisible();
});
