import { answer, expect, model, test } from '../../refine';

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
    // The debugger's bar does not cover our button: a trial click would fail.
    await page
      .locator('.jp-NotebookPanel-toolbar [data-jp-item-name="refine-cell"]')
      .click({ trial: true, timeout: 10_000 });
    await nb.command('jupyterlab-refine:refine-from-here');
    await nb.expectPassed(1);
    await expect(nb.panel).toContainText('Written to cell 1, not run.');
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

test(
  'debugs a failing attempt in a console, stopped at the failing line',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('Add.', 'def twice(n):\n    return n + 1'), times: 0 }
      ]
    });
    const nb = await notebook('debug-attempt', [
      { id: 'target', source: '# twice(n)' },
      { id: 'checks', source: 'seven = 7\nassert twice(seven) == 14' }
    ]);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const { panel } = nb;
    await expect(
      panel.getByRole('heading', { name: /^Stopped|repeat|No progress/ })
    ).toBeVisible({ timeout: 60_000 });
    await nb.more();
    await panel.getByRole('button', { name: 'debug' }).first().click();
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('in your kernel?');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    expect(await nb.evaluate("'seven' in globals()")).toBe('False');
    await dialog.getByRole('button', { name: 'Run and debug' }).click();
    await expect
      .poll(
        () =>
          page.evaluate(() => {
            const frames = document.querySelectorAll(
              '.jp-DebuggerCallstack-bodyItem, .jp-DebuggerCallstack-body li'
            );
            return frames[0]?.textContent ?? '';
          }),
        { timeout: 45_000 }
      )
      .toMatch(/5/);
    await expect(
      page.locator('.jp-CodeConsole .cm-content').first()
    ).toContainText('assert twice(seven) == 14');
    await page
      .getByRole('button', { name: /^Continue/ })
      .first()
      .click();
    await expect(page.locator('.jp-CodeConsole')).toContainText(
      'AssertionError',
      { timeout: 30_000 }
    );
  }
);
