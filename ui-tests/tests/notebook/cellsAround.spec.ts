import {
  answer,
  type CellInput,
  expect,
  model,
  slowAnswer,
  test,
  testWith
} from '../../refine';
import type { Page } from '@playwright/test';

/** Cells around the target: those above, a fresh kernel, and what the notebook holds afterwards. */

test.describe('cells above', () => {
  const cells: readonly CellInput[] = [
    { id: 'import', source: 'import math' },
    { id: 'data', source: 'numbers = [math.sqrt(4), 3.0]' },
    { id: 'slow', source: 'posted = len(numbers)', tags: ['refine-skip'] },
    { id: 'target', source: '# total: the sum of `numbers`\n' },
    { id: 'checks', source: 'assert total == 5' }
  ];
  const right = answer('total = sum(numbers)');

  test('cells above are offered, run on request and not offered again @full', async ({
    notebook,
    page
  }) => {
    const nb = await notebook(cells, [right]);
    await nb.refine(3);
    await expect(nb.question).toContainText(
      'Cells 1 to 3 have not run in this kernel. Run them first?'
    );
    expect(await model.requests()).toHaveLength(0);
    await nb.button('Run cells 1 and 2').press('Enter');
    await nb.expectPassed(1);
    expect(await nb.evaluate("globals().get('posted')")).toBe('None');
    await expect(nb.cell(0).locator('.jp-InputPrompt')).toContainText('[1]');
    const prompt = await model.sent(0);
    expect(prompt).toContain('These cells of the notebook have run');

    // The same kernel after a reload: its own history shows it.
    await nb.edit(3, '# total: the sum of `numbers`\n');
    await page.keyboard.press('Control+s');
    await page.reload();
    await nb.open();
    await model.load({ answers: [right] });
    await nb.refine(3);
    await nb.expectPassed(1);
  });

  test('a session without the cells above says so to the model @full', async ({
    notebook
  }) => {
    const nb = await notebook(cells, [answer('total = 5')]);
    await nb.refine(3);
    await nb.button('Start without').click();
    await nb.expectPassed(1);
    const prompt = await model.sent(0);
    expect(prompt).toContain('(Not run in this kernel');
    expect(prompt).not.toContain('have run');
  });
});

testWith({ confirmClean: true })(
  'a pass is repeated in a fresh kernel, and the cell says so @full',
  async ({ notebook }) => {
    const nb = await notebook(
      [
        { id: 'helper', source: 'helper = 42' },
        { id: 'target', source: '# answer: what the helper says\n' },
        { id: 'checks', source: 'assert answer == 42' }
      ],
      [answer('answer = helper')]
    );
    await nb.run(0);
    await expect.poll(() => nb.evaluate('helper')).toBe('42');
    await nb.refine(1);
    await nb.expectPassed(1);
    await expect(nb.panel).toContainText(
      'Also passes in a fresh kernel: 1 of 1.'
    );
    await expect.poll(() => nb.result(1)).toMatchObject({ clean: true });
  }
);

test('deleting the target ends the session; undoing it goes on @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'free', source: 'kept = 41' },
      { id: 'target', source: '# answer: the number 42\n' },
      { id: 'checks', source: 'assert answer == 42' }
    ],
    [answer('answer = 1'), slowAnswer('answer = 2', 2), answer('answer = 42')]
  );
  await nb.refine(1);
  await model.expectRequests(2);
  await nb.select(1);
  await page.keyboard.press('d');
  await page.keyboard.press('d');
  await model.expectAborted(1);
  await nb.expectHeading(/^The cell was deleted during the session/);
  await expect(
    nb.panel.getByText('All attempts are kept. Undo the deletion to continue.')
  ).toBeVisible();
  await expect(nb.toggle(1)).toBeVisible();
  await page.keyboard.press('z');
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
  await nb.expectText('The cell is back.');
  await nb.button('Resume').click();
  await nb.expectPassed(3);
  expect(await nb.source(1)).toBe('# answer: the number 42\nanswer = 42');
});

test.describe('a notebook of many cells', () => {
  const CELLS = 300;
  const KEYS = 60;
  const cells = [
    { id: 'target', source: '# one: the number 1\n' },
    { id: 'checks', source: 'assert one == 1' },
    { id: 'typed', source: 'x = 1' },
    ...Array.from({ length: CELLS - 3 }, (_, i) => ({
      id: `more-${i}`,
      source: `y_${i} = ${i}`
    }))
  ];

  /** Counts from now on how often our code reads the source of another cell. */
  async function count(page: Page): Promise<() => Promise<number>> {
    await page.evaluate(() => {
      type Source = { getSource(): string };
      const { content } = window.jupyterapp.shell.currentWidget as unknown as {
        content: {
          activeCell: { model: { sharedModel: Source } };
          widgets: { model: { sharedModel: Source } }[];
        };
      };
      const counts = { reads: 0 };
      (window as unknown as { counts: object }).counts = counts;
      const isOurs = () => /jupyterlab.refine/.test(new Error().stack ?? '');
      for (const { model } of content.widgets) {
        const { sharedModel } = model;
        if (sharedModel !== content.activeCell.model.sharedModel) {
          const { getSource } = Object.getPrototypeOf(sharedModel) as Source;
          sharedModel.getSource = () => {
            counts.reads += isOurs() ? 1 : 0;
            return getSource.call(sharedModel);
          };
        }
      }
    });
    return () =>
      page.evaluate(
        () => (window as unknown as { counts: { reads: number } }).counts.reads
      );
  }

  test('typing costs the same while a session runs and after it @full', async ({
    notebook
  }) => {
    const words = Array.from({ length: 400 }, (_, i) => `word${i}\n`).join('');
    const nb = await notebook(cells, [
      answer('one = 1', { tokensPerSecond: 20 }, words),
      answer('one = 1')
    ]);
    const { page } = nb;
    await nb.refine(0);
    await nb.expectText(/word3/);
    const typed = nb.cell(2).locator('.cm-content');
    await typed.click();
    await page.keyboard.press('End');
    const counts = await count(page);

    const start = await counts();
    await page.keyboard.type('z'.repeat(KEYS), { delay: 40 });
    await page.waitForTimeout(600);
    const running = await counts();
    // At most a few times everything, for 60 keys and a pause: at each key it would be 60 times.
    expect(running - start).toBeLessThan(4 * CELLS);
    // The counters count: a pause is followed by one look at the notebook.
    expect(running).toBeGreaterThan(start);
    await nb.expectText('writing');

    await nb.command('jupyterlab-refine:stop');
    await nb.refine(0);
    await nb.expectPassed(1);
    await typed.click();
    await page.keyboard.press('End');
    await page.waitForTimeout(600);
    const ended = await counts();
    await page.keyboard.type('z'.repeat(KEYS), { delay: 40 });
    await page.waitForTimeout(600);
    expect((await counts()) - ended).toBeLessThan(4 * CELLS);
    expect(await nb.source(2)).toBe(`x = 1${'z'.repeat(2 * KEYS)}`);
  });
});

test('a notebook that is closed in mid-session keeps its attempts @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'one', source: '# one: the number 1\n' },
      { id: 'check-one', source: 'assert one == 1' },
      { id: 'two', source: '# two: the number 2\n' }
    ],
    [answer('one = 2'), slowAnswer('one = 1', 5, 900)]
  );
  await nb.refine(0);
  await model.expectRequests(2);
  await nb.edit(2, '# edited');
  await page.menu.clickMenuItem('File>Close Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await model.expectAborted(1);
  await expect(page.locator('.jp-Notebook')).toHaveCount(0);
  await page.notebook.openByPath(nb.path);
  await nb.select(0);
  await nb.expectText('0 of 1');
  expect(await nb.source(2)).toBe('# edited');
});
