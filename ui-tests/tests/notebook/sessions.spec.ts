/** Several cells of one notebook: one session at a time, which survives a close. */
import { answer, expect, model, test } from '../../refine';

const cells = [
  { id: 'one', source: '# one: the number 1\n' },
  { id: 'check-one', source: 'assert one == 1' },
  { id: 'two', source: '# two: the number 2\n' },
  { id: 'check-two', source: 'assert two == 2' }
];

test(
  'a second cell is refused while one is refined',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('x '.repeat(900), 'one = 1'), tokensPerSecond: 5 }
      ]
    });
    const nb = await notebook('queue', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    await nb.select(2);
    await nb.refine();
    await expect(
      nb.panel.getByText('A session is running for cell 1.')
    ).toBeVisible();
    expect(await model.requests()).toHaveLength(1);
  }
);

test(
  'a notebook that is closed in mid-session keeps its attempts',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('Guess.', 'one = 2') },
        { text: answer('x '.repeat(900), 'one = 1'), tokensPerSecond: 5 }
      ]
    });
    const nb = await notebook('closing', cells.slice(0, 3));
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(2);
    await nb.edit(2, '# edited');
    await page.menu.clickMenuItem('File>Close Tab');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => (await model.requests())[1].state)
      .toBe('aborted');
    await expect(page.locator('.jp-Notebook')).toHaveCount(0);
    await page.notebook.openByPath(nb.path);
    await nb.select(0);
    await expect(nb.panel.getByText('0 of 1').first()).toBeVisible();
    expect(await nb.source(2)).toBe('# edited');
  }
);
