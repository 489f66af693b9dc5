import {
  answer,
  type CellInput,
  expect,
  model,
  type RefineNotebook,
  test,
  userSettings
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
  const right = { text: answer('Add.', 'total = sum(numbers)') };

  test(
    'cells above are offered, run on request and not offered again',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({ answers: [right] });
      const nb = await notebook('unrun', cells);
      await nb.open(3);
      await nb.refine();
      const question = nb.panel.getByRole('alertdialog');
      await expect(question).toContainText(
        'Cells 1 to 3 have not run in this kernel. Run them first?'
      );
      await page.screenshot({ path: 'test-results/unrun.png' });
      expect(await model.requests()).toHaveLength(0);
      await question
        .getByRole('button', { name: 'Run cells 1 and 2' })
        .press('Enter');
      await nb.expectPassed(1);
      expect(await nb.evaluate("globals().get('posted')")).toBe('None');
      await expect(nb.cell(0).locator('.jp-InputPrompt')).toContainText('[1]');
      const prompt = JSON.stringify((await model.requests())[0].body);
      expect(prompt).toContain('These cells of the notebook have run');

      // The same kernel after a reload: its own history shows it.
      await nb.edit(3, '# total: the sum of `numbers`\n');
      await page.keyboard.press('Control+s');
      await page.reload();
      await nb.open();
      await model.load({ answers: [right] });
      await nb.select(3);
      await nb.refine();
      await nb.expectPassed(1);
    }
  );

  test(
    'a session without the cells above says so to the model',
    { tag: '@full' },
    async ({ notebook }) => {
      await model.load({ answers: [{ text: answer('Set.', 'total = 5') }] });
      const nb = await notebook('without', cells);
      await nb.open(3);
      await nb.refine();
      await nb.panel.getByRole('button', { name: 'Start without' }).click();
      await nb.expectPassed(1);
      const prompt = JSON.stringify((await model.requests())[0].body);
      expect(prompt).toContain('(Not run in this kernel');
      expect(prompt).not.toContain('have run');
    }
  );
});

test.describe('confirm clean', () => {
  const cells = [
    { id: 'helper', source: 'helper = 42' },
    { id: 'target', source: '# answer: what the helper says\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ];

  test.use({ mockSettings: userSettings({ confirmClean: true }) });

  async function pass(nb: RefineNotebook): Promise<void> {
    await model.load({
      answers: [{ text: answer('Ask it.', 'answer = helper') }]
    });
    await nb.open();
    await nb.run(0);
    await expect.poll(() => nb.evaluate('helper')).toBe('42');
  }

  async function resultOf(
    nb: RefineNotebook
  ): Promise<Record<string, unknown>> {
    const metadata = (await nb.metadata(1)) as {
      jupyterlab_refine?: { result?: Record<string, unknown> };
    };
    return metadata.jupyterlab_refine?.result ?? {};
  }

  test(
    'a pass is repeated in a fresh kernel, and the cell says so',
    { tag: '@full' },
    async ({ notebook }) => {
      const nb = await notebook('clean', cells);
      await pass(nb);
      await nb.select(1);
      await nb.refine();
      await nb.expectPassed(1);
      await expect(
        nb.panel.getByText('Also passes in a fresh kernel: 1 of 1.')
      ).toBeVisible({ timeout: 45_000 });
      await expect.poll(() => resultOf(nb)).toMatchObject({ clean: true });
    }
  );
});

test.describe('true ends', () => {
  const cells: readonly CellInput[] = [
    { id: 'free', source: 'kept = 41' },
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ];

  /** An answer that comes in so slowly that a user can edit meanwhile. */
  const slow = (code: string) => ({
    text: answer('x '.repeat(100), code),
    tokensPerSecond: 12
  });

  test(
    'an assertion that is edited after a pass is said to be, and its failure counts',
    { tag: '@full' },
    async ({ notebook }) => {
      await model.load({
        answers: [{ text: answer('It is.', 'answer = 42') }]
      });
      const nb = await notebook('edited-check', cells);
      await nb.open(1);
      await nb.refine();
      await nb.expectPassed(1);

      await nb.edit(2, 'assert answer == 43');
      await nb.run(2);
      await expect(
        nb.panel.getByRole('heading', {
          name: 'Passed on attempt 1, but cell 3 failed in the notebook: AssertionError'
        })
      ).toBeVisible();
    }
  );

  test(
    'deleting the target ends the session; undoing it goes on',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({
        answers: [
          { text: answer('Guess.', 'answer = 1') },
          { ...slow('answer = 2'), tokensPerSecond: 2 },
          { text: answer('Name it.', 'answer = 42') }
        ]
      });
      const nb = await notebook('deleted', cells);
      await nb.open(1);
      await nb.refine();
      await expect.poll(async () => (await model.requests()).length).toBe(2);
      await nb.select(1);
      await page.keyboard.press('d');
      await page.keyboard.press('d');
      await expect
        .poll(async () => (await model.requests())[1].state, { timeout: 3000 })
        .toBe('aborted');
      await expect(
        nb.panel.getByRole('heading', {
          name: /^The cell was deleted during the session/
        })
      ).toBeVisible();
      await expect(
        nb.panel.getByText(
          'All attempts are kept. Undo the deletion to continue.'
        )
      ).toBeVisible();
      await expect(
        nb.panel.getByRole('button', { name: /^Attempt 1/ })
      ).toBeVisible();
      await page.screenshot({ path: 'test-results/deleted.png' });
      await page.keyboard.press('z');
      await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
      await expect(nb.panel.getByText('The cell is back.')).toBeVisible();
      await page.screenshot({ path: 'test-results/back.png' });
      await nb.panel.getByRole('button', { name: 'Resume' }).click();
      await nb.expectPassed(3);
      expect(await nb.source(1)).toBe('# answer: the number 42\nanswer = 42');
    }
  );
});

test.describe('manyCells', () => {
  /** Notebooks of many cells: one session at a time, and how much a key press may cost. */

  test.describe('many cells', () => {
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

    type Counts = {
      /** Sources of other cells that our code has read. */
      readonly reads: number;
      /** Cells in which our code has looked for something of ours. */
      readonly looks: number;
    };

    /** Count from now on what our code does to cells; JupyterLab's own work, such as drawing cells when idle, is left out. */
    async function count(page: Page): Promise<() => Promise<Counts>> {
      await page.evaluate(() => {
        type Source = { getSource(): string };
        const { content } = window.jupyterapp.shell
          .currentWidget as unknown as {
          content: {
            activeCell: { model: { sharedModel: Source } };
            widgets: { model: { sharedModel: Source } }[];
          };
        };
        const counts = { reads: 0, looks: 0 };
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
        const { querySelector } = Element.prototype;
        Element.prototype.querySelector = function (selectors: string) {
          counts.looks += selectors.includes('jp-Refine-badge') ? 1 : 0;
          return querySelector.call(this, selectors) as Element | null;
        };
      });
      return () =>
        page.evaluate(() => (window as unknown as { counts: Counts }).counts);
    }

    /** At most a few times everything, for 60 keys and a pause: at each key it would be 60 times. */
    function expectFew(after: Counts, before: Counts): void {
      const few = 4 * CELLS;
      expect(after.reads - before.reads).toBeLessThan(few);
      expect(after.looks - before.looks).toBeLessThan(few);
    }

    test(
      'typing costs the same while a session runs and after it',
      { tag: '@full' },
      async ({ notebook }) => {
        const words = Array.from({ length: 400 }, (_, i) => `word${i}\n`).join(
          ''
        );
        await model.load({
          answers: [
            { text: answer(words, 'one = 1'), tokensPerSecond: 20 },
            { text: answer('One.', 'one = 1') }
          ]
        });
        const nb = await notebook('many-cells', cells);
        await nb.open();
        const { page } = nb;
        await nb.select(0);
        await nb.refine();
        await expect(nb.panel.getByText(/word3/).first()).toBeVisible();
        const typed = nb.cell(2).locator('.cm-content');
        await typed.click();
        await page.keyboard.press('End');
        const counts = await count(page);

        const start = await counts();
        await page.keyboard.type('z'.repeat(KEYS), { delay: 40 });
        await page.waitForTimeout(600);
        const running = await counts();
        expectFew(running, start);
        // The counters count: a pause is followed by one look at the notebook.
        expect(running.reads).toBeGreaterThan(start.reads);
        await expect(nb.panel.getByText('writing').first()).toBeVisible();

        await nb.command('jupyterlab-refine:stop');
        await nb.select(0);
        await nb.refine();
        await nb.expectPassed(1);
        await typed.click();
        await page.keyboard.press('End');
        await page.waitForTimeout(600);
        const ended = await counts();
        await page.keyboard.type('z'.repeat(KEYS), { delay: 40 });
        await page.waitForTimeout(600);
        expectFew(await counts(), ended);
        expect(await nb.source(2)).toBe(`x = 1${'z'.repeat(2 * KEYS)}`);
      }
    );
  });

  test.describe('sessions', () => {
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
        await nb.open(0);
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
        await nb.open(0);
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
  });
});
