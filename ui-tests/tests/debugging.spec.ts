import { answer, expect, model, test } from '../refine';

const CELL = [
  'def area(width, height):',
  '    sides = [width, height]',
  '    return width + height',
  'value = area(2, 3)'
].join('\n');
const RIGHT = CELL.replace('width + height', 'width * height');
const cells = [
  { id: 'target', source: CELL },
  // Of the paused call: a global of that name does not exist.
  {
    id: 'checks',
    source: 'assert area(width, height) == 6\nassert sides == [2, 3]'
  }
];

test(
  'refines a cell from where the debugger has stopped',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [{ text: answer('Multiply.', RIGHT) }] });
    const nb = await notebook('debugging', cells);
    await nb.open();
    await page.getByRole('button', { name: 'Enable Debugger' }).click();
    await page.notebook.waitForCellGutter(0);
    await page.notebook.clickCellGutter(0, 3);
    await nb.run(0);
    await page.debugger.waitForCallStack();
    await nb.command('jupyterlab-refine:refine-from-here');
    await nb.expectPassed(1);
    await expect(nb.panel).toContainText('Written to cell 1.');
    expect(await nb.source(0)).toBe(RIGHT);
    // Nor does a message of the debugger land in its output.
    await expect(nb.cell(0).locator('.jp-OutputArea-output')).toHaveCount(0);
    const [request] = await model.requests();
    const sent = JSON.stringify(request!.body);
    expect(sent).toContain('area, line 3 of cell 1');
    expect(sent).toContain('sides');
    // The paused call goes on as it was.
    await page
      .getByRole('button', { name: /^Continue/ })
      .first()
      .click();
    await expect.poll(() => nb.evaluate('value')).toBe('5');
    expect(await nb.evaluate("'sides' in globals()")).toBe('False');
  }
);
