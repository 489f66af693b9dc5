import { answer, expect, model, test, type CellInput } from '../../refine';

const cells: readonly CellInput[] = [
  { id: 'free', source: 'kept = 41' },
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];
const right = answer('Add one.', 'answer = 42');

test(
  'stop while the model writes reaches the provider at once',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        {
          text: answer('x '.repeat(2000), 'answer = 42'),
          tokensPerSecond: 20
        }
      ]
    });
    const nb = await notebook('stop-writing', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect(nb.panel.getByText('writing').first()).toBeVisible();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    await nb.panel.getByRole('button', { name: 'Stop' }).click();
    await expect
      .poll(async () => (await model.requests())[0].state, { timeout: 1500 })
      .toBe('aborted');
    await expect(
      nb.panel.getByRole('heading', { name: /You stopped/ })
    ).toBeVisible();
    expect(await nb.source(1)).toBe(cells[1].source);
  }
);

test(
  'a running cell of the user delays an attempt and no more',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: right }] });
    const nb = await notebook('busy', [
      {
        id: 'slow',
        source: 'import time\ntime.sleep(4)\nraise ValueError("mine")'
      },
      cells[1],
      cells[2]
    ]);
    await nb.open();
    await nb.run(0);
    await nb.select(1);
    await nb.refine();
    await expect(nb.panel.getByText(/waiting for/).first()).toBeVisible();
    await nb.expectPassed(1);
    await expect(
      nb.cell(0).getByText('ValueError: mine').first()
    ).toBeVisible();
  }
);

test(
  'a reload during a run keeps the notebook, ends the request',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('First.', 'answer = 1') },
        {
          text: answer('x '.repeat(2000), 'answer = 42'),
          tokensPerSecond: 20
        }
      ]
    });
    const nb = await notebook('reload', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(2);
    await page.waitForTimeout(500);
    await page.reload();
    await expect
      .poll(async () => (await model.requests())[1].state, { timeout: 5000 })
      .toBe('aborted');
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    expect(await nb.source(1)).toBe(cells[1].source);
    await expect(
      nb.panel.getByText(/reload|interrupted/i).first()
    ).toBeVisible();
    await expect(nb.panel.getByText('0 of 1').first()).toBeVisible();
  }
);
