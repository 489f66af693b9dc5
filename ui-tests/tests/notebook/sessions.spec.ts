/** Several sessions in one notebook: they wait for each other, and survive a close and a reload. */
import { answer, expect, model, test } from '../../refine';

const cells = [
  { id: 'one', source: '# one: the number 1\n' },
  { id: 'check-one', source: 'assert one == 1' },
  { id: 'two', source: '# two: the number 2\n' },
  { id: 'check-two', source: 'assert two == 2' },
  { id: 'three', source: '# three: the number 3\n' },
  { id: 'check-three', source: 'assert three == 3' }
];

test(
  'cells of one notebook wait for each other, visibly',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('x '.repeat(900), 'one = 1'), tokensPerSecond: 5 },
        { text: answer('x '.repeat(900), 'three = 3'), tokensPerSecond: 5 }
      ]
    });
    const nb = await notebook('queue', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    for (const index of [2, 4]) {
      await nb.select(index);
      await nb.refine();
    }
    const waiting = nb.panel.getByRole('list', { name: 'Waiting sessions' });
    await expect(waiting.getByRole('listitem')).toHaveText([
      /cell 3 waits for cell 1/,
      /cell 5 waits for cell 3/
    ]);

    await waiting
      .getByRole('listitem')
      .first()
      .getByRole('button', { name: 'Withdraw' })
      .click();
    await expect(waiting.getByRole('listitem')).toHaveText([
      /cell 5 waits for cell 1/
    ]);
    // Stopped: the next one starts.
    await nb.panel.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect(waiting).toHaveCount(0);

    await page.reload();
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await expect(
      nb.panel.getByText(/reload|interrupted/i).first()
    ).toBeVisible();
    await expect(
      nb.panel.getByRole('button', { name: 'cell 5' })
    ).toBeVisible();
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
