/** The badges of cells: beside the code, never over it or what scrolls it. */
import { expect, test, type RefineNotebook } from '../../refine';

const long = `assert answer in (${Array.from({ length: 200 }, (_, i) => i).join(', ')})`;
const cells = [
  { id: 'target', source: '# answer: the number 42\n' },
  {
    id: 'long',
    source: `${long}\n${long}`,
    tags: ['refine-assert']
  },
  ...Array.from({ length: 30 }, (_, i) => ({
    id: `between-${i}`,
    source: 'print(1)\n'.repeat(8)
  })),
  { id: 'last', source: long, tags: ['refine-holdout'] }
];

/** Points of a cell's code and of its scroll bar at which something else would get a click. */
function covered(nb: RefineNotebook, cell: number): Promise<unknown[]> {
  return nb
    .cell(cell)
    .locator('.cm-scroller')
    .evaluate(scroller => {
      const box = scroller.getBoundingClientRect();
      const points: unknown[] = [];
      for (let x = box.left + 1; x < box.right; x += 5) {
        for (let y = box.top + 1; y < box.bottom; y += 3) {
          const [top] = document.elementsFromPoint(x, y);
          if (top && top !== scroller && !scroller.contains(top)) {
            points.push([top.className, x - box.left, y - box.top]);
          }
        }
      }
      return points;
    });
}

test(
  'a badge covers neither code nor scroll bar, and has a tooltip',
  { tag: '@full' },
  async ({ notebook }) => {
    const nb = await notebook('badges', cells);
    await nb.open();
    const badge = nb.cell(1).locator('.jp-Refine-badge');
    await expect(badge).toHaveText('check');
    const scroller = nb.cell(1).locator('.cm-scroller');
    expect(
      await scroller.evaluate(node => node.scrollWidth - node.clientWidth)
    ).toBeGreaterThan(500);
    expect(await covered(nb, 1)).toEqual([]);
    await expect(badge).toHaveAttribute('title', /^Check: tagged as an/);
    // What has the tooltip is what the mouse is over.
    await badge.hover();
    await expect(nb.page.locator('[title^="Check: tagged"]:hover')).toHaveCount(
      1
    );

    // A cell that is rendered later, when it is scrolled to.
    const last = nb.cell(cells.length - 1);
    await nb.page.evaluate(async index => {
      const widget = window.jupyterapp.shell.currentWidget as unknown as {
        content: { scrollToItem(index: number): Promise<void> };
      };
      await widget.content.scrollToItem(index);
    }, cells.length - 1);
    await expect(last.locator('.jp-Refine-badge')).toHaveText('held out');
    await expect(last.locator('.cm-scroller')).toBeVisible();
    await expect.poll(() => covered(nb, cells.length - 1)).toEqual([]);
    const code = (await last.locator('.jp-InputArea').boundingBox())!;
    const box = (await last.locator('.jp-Refine-badge').boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(code.y + code.height);
  }
);
