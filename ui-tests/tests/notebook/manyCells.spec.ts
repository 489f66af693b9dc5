/** Notebooks of many cells: one session at a time, and how much a key press may cost. */
import { answer, expect, model, test } from '../../refine';
import type { Page } from '@playwright/test';

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
      const { content } = window.jupyterapp.shell.currentWidget as unknown as {
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
      const words = Array.from({ length: 400 }, (_, i) => `word${i} `).join('');
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
});
