import { answer, expect, model, test } from '../../refine';

/** Errors of cells: fixed from the button below them, the palette and the context menu. */

const FAILING = 'seen.append(1)\ntotal = parse("12,5")';

test('Fix error sends the real error and refuses code that hides it', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      {
        id: 'above',
        source:
          'seen = []\ndef parse(text):\n    number = float(text)\n    return number'
      },
      { id: 'target', source: FAILING }
    ],
    [
      answer('try:\n    total = parse("12,5")\nexcept ValueError:\n    pass'),
      answer('total = parse("12,5".replace(",", "."))')
    ]
  );
  await nb.run(0, 1);
  await nb.cell(1).getByRole('button', { name: 'Fix error' }).click();
  await nb.expectHeading('Runs; nothing checked');
  await nb.expectText('the failed run changed seen');
  // The kernel ran the failing call once: attempt 0 is not run again.
  expect(await nb.evaluate('len(seen)')).toBe('1');

  const prompt = await model.sent(0);
  expect(prompt).toContain("could not convert string to float: '12,5'");
  expect(prompt).toContain('text: str');
  expect(prompt).not.toContain('\\u001b');
  expect(await model.sent(1)).toContain('only hides it');

  await nb.button('Write and run').click();
  await expect
    .poll(() => nb.source(1))
    .toBe('total = parse("12,5".replace(",", "."))');
  await expect(page.locator('.jp-Refine-errorActions')).toHaveCount(0);
});

test('a fix that may hide the error is labelled @full', async ({
  notebook
}) => {
  const failing = 'total = float("12,5")';
  const nb = await notebook(
    [{ id: 'target', source: failing }],
    [answer(`try:\n    ${failing}\nexcept ValueError:\n    total = 0.0`)]
  );
  await nb.run(0);
  await expect(nb.cell(0).getByText('ValueError').first()).toBeVisible();
  await nb.palette('Fix Error');
  await nb.expectHeading('Runs; nothing checked');
  await nb.expectText(
    'The error may be hidden: ValueError is still raised, and the code goes on.'
  );
  await nb.expectText('Fix error: runs, not checked');
  // No word of a pass, and nothing was written.
  await expect(nb.panel.getByText(/Passed/)).toHaveCount(0);
  expect(await nb.source(0)).toBe(failing);
});

test('the context menu of an error fixes its own cell, edited or not @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'first', source: 'a = missing_a' },
      { id: 'second', source: 'b = missing_b' },
      { id: 'third', source: 'c = missing_c' }
    ],
    [answer('b = 2')]
  );
  for (const index of [0, 1, 2]) {
    await nb.run(index);
    await expect(nb.cell(index).getByText('NameError').first()).toBeVisible();
  }
  await nb
    .cell(1)
    .locator('[data-mime-type="application/vnd.jupyter.stderr"]')
    .click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Fix Error' }).click();
  await nb.expectHeading('Runs; nothing checked');
  expect(await model.sent(0)).toContain('missing_b');

  // Edited since it failed, a cell is run again: this one is fixed by now.
  await nb.edit(0, 'a = 1');
  await nb.select(0);
  await nb.command('jupyterlab-refine:refine-error', { cellId: 'first' });
  await nb.expectText('The cell runs as it is now. Nothing was changed.');
  expect(await model.requests()).toHaveLength(1);
});

test.describe('debugging', () => {
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

  test('refines a cell from where the debugger has stopped @full', async ({
    notebook,
    page
  }) => {
    const nb = await notebook(cells, [answer(RIGHT)]);
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
    const sent = await model.sent(0);
    expect(sent).toContain('stopped the notebook in area, line 3.');
    expect(sent).toContain('sides');
    // The paused call goes on as it was.
    await page
      .getByRole('button', { name: /^Continue/ })
      .first()
      .click();
    await expect.poll(() => nb.evaluate('value')).toBe('5');
    expect(await nb.evaluate("'sides' in globals()")).toBe('False');
  });

  test('debugs a failing attempt in a console, stopped at the failing line @full', async ({
    notebook,
    page
  }) => {
    const nb = await notebook(
      [
        { id: 'target', source: '# twice(n)' },
        { id: 'checks', source: 'seven = 7\nassert twice(seven) == 14' }
      ],
      [answer('def twice(n):\n    return n + 1', { times: 0 })]
    );
    await nb.refine(0);
    await nb.expectHeading(/^Stopped|repeat|No progress/);
    await nb.more();
    await nb.button('debug').first().click();
    const dialog = page.locator('.jp-Dialog');
    await expect(dialog).toContainText('in your kernel?');
    await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
    expect(await nb.evaluate("'seven' in globals()")).toBe('False');
    await dialog.getByRole('button', { name: 'Run and debug' }).click();
    await expect
      .poll(() =>
        page.evaluate(() => {
          const frames = document.querySelectorAll(
            '.jp-DebuggerCallstack-bodyItem, .jp-DebuggerCallstack-body li'
          );
          return frames[0]?.textContent ?? '';
        })
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
      'AssertionError'
    );
  });
});
