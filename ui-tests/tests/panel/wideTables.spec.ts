/** Frames that are wider than a narrow panel: the columns that differ are visible. */
import { answer, expect, model, test, userSettings } from '../../refine';

const setup = `import pandas as pd
def load():
    months = pd.DataFrame({"month": ["2024-01", "2024-02"], "region_name": ["north", "south"],
                           "units_sold": [1, 2], "discount_rate": [0.5, 0.25], "total_revenue": [10.5, 20.25]})
    return months
expected = load()`;

test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

test(
  'the column that differs is scrolled into view at 280 px',
  { tag: '@full' },
  async ({ notebook }) => {
    const wrong = 'table = load().assign(total_revenue=[10.5, 99.25])';
    await model.load({ answers: [{ text: answer('Load it.', wrong) }] });
    const nb = await notebook('wide', [
      { id: 'setup', source: setup },
      { id: 'target', source: '# Load the table\n' },
      { id: 'checks', source: 'assert table.equals(expected)' }
    ]);
    await nb.open();
    await nb.run(0);
    await nb.select(1);
    await nb.refine();
    const { page, panel } = nb;
    await expect(
      panel.getByRole('heading', { name: /Stopped after 1/ })
    ).toBeVisible({ timeout: 60_000 });
    await page.evaluate(() => {
      const split = document
        .querySelector('#jp-right-stack')!
        .closest('#jp-main-split-panel')!;
      const handles = split.querySelectorAll(':scope > .lm-SplitPanel-handle');
      const last = [...handles]
        .filter(handle => !handle.classList.contains('lm-mod-hidden'))
        .at(-1)!;
      const { x, y } = last.getBoundingClientRect();
      const at = (type: string, clientX: number) =>
        new PointerEvent(type, {
          bubbles: true,
          button: 0,
          clientX,
          clientY: y + 100
        });
      last.dispatchEvent(at('pointerdown', x));
      document.dispatchEvent(at('pointermove', x + 1000));
      document.dispatchEvent(at('pointerup', x + 1000));
    });
    await expect.poll(async () => (await panel.boundingBox())!.width).toBe(280);

    const tables = panel.locator('.jp-mod-table');
    await expect(tables).toHaveCount(2);
    const inSight = (table: number, word: string) =>
      tables.nth(table).evaluate((node, text) => {
        const range = document.createRange();
        const start = node.textContent!.indexOf(text);
        range.setStart(node.firstChild!, start);
        range.setEnd(node.firstChild!, start + text.length);
        const { left, right } = range.getBoundingClientRect();
        const box = node.getBoundingClientRect();
        return left >= box.left && right <= box.right;
      }, word);
    await expect.poll(() => inSight(0, 'total_revenue')).toBe(true);
    expect(await inSight(0, '20.25')).toBe(true);
    await expect.poll(() => inSight(1, '99.25')).toBe(true);
    expect(await inSight(1, 'month')).toBe(false);

    // What the user scrolls to afterwards stays.
    await tables.nth(0).evaluate(node => (node.scrollLeft = 0));
    await expect.poll(() => inSight(1, 'month')).toBe(true);
    await page.screenshot({ path: 'test-results/wide-table.png' });
    expect(await inSight(0, 'total_revenue')).toBe(false);
  }
);
