import {
  answer,
  expect,
  model,
  test,
  type CellInput,
  RefineNotebook
} from '../../refine';
import { NO_MODEL_PORT } from '../../ports';

const cells: readonly CellInput[] = [
  { id: 'fib', source: '# fibonacci(n): the n-th Fibonacci number\n' },
  {
    id: 'checks',
    source:
      'assert fibonacci(0) == 0\nassert fibonacci(1) == 1\nassert fibonacci(10) == 55'
  },
  {
    id: 'held',
    tags: ['refine-holdout'],
    source: 'assert fibonacci(20) == 6765'
  }
];
const wrong =
  'def fibonacci(n):\n    a, b = 1, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a';
const right = wrong.replace('1, 1', '0, 1');

test('a cell is refined until its assertions hold', async ({ notebook }) => {
  const nb = await notebook(cells, [
    answer(wrong, { tokensPerSecond: 200 }),
    answer(right, { tokensPerSecond: 200 })
  ]);
  await nb.refine(0);
  await nb.expectPassed(2);

  await nb.expectText('3 of 3 and 1 held out');
  expect(await nb.source(0)).toContain('a, b = 0, 1');
  // Run in the notebook: the user's kernel has the function now.
  await expect.poll(() => nb.evaluate('fibonacci(30)')).toBe('832040');
  expect(await nb.result(0)).toMatchObject({
    attempts: 2,
    stopReason: 'passed',
    checkedBy: 'assertions'
  });
  await expect(nb.cell(0).getByText('refined · 3 of 3')).toBeVisible();

  // The failed attempt says which assertion failed, with both sides.
  await nb.toggle(1).click();
  await nb.expectText('fibonacci(0) == 0', { exact: false });
  await nb.expectText('observed');
  await nb.button(/^failed: fibonacci\(0\) == 0/).click();
  await expect(nb.cell(1)).toHaveClass(/jp-mod-active/);

  // What was wrong went back to the model; what is held out never did.
  const requests = await model.requests();
  expect(requests).toHaveLength(2);
  expect(JSON.stringify(requests[1].body)).toContain('fibonacci(0) == 0');
  expect(await model.sent()).not.toContain('6765');

  // Accepting is one undo step; Restore brings the source back.
  const before = cells[0].source;
  await nb.cell(0).locator('.cm-content').click();
  await nb.page.keyboard.press('Control+z');
  await expect.poll(() => nb.source(0)).toBe(before);
  await nb.page.keyboard.press('Control+Shift+z');
  await expect.poll(() => nb.source(0)).toContain('def fibonacci');
  await nb.button('Restore cell').click();
  await expect.poll(() => nb.source(0)).toBe(before);
});

test('Check cell needs no model and calls none', async ({ notebook }) => {
  const nb = await notebook(
    [{ id: 'fib', source: wrong }, cells[1], cells[2]],
    []
  );
  await nb.select(0);
  await nb.command('jupyterlab-refine:check-cell');
  await nb.expectText('1 of 3');
  await nb.expectText('expected');
  expect(await model.requests()).toHaveLength(0);
  // Checking left nothing behind.
  expect(await nb.evaluate("'fibonacci' in globals()")).toBe('False');
});

test('refine from palette, menus, toolbar and shortcut @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(cells, [answer(right, { times: 0 })]);
  test.slow();
  const entries = [
    // Before the panel opens: a narrow cell hides its toolbar.
    () =>
      nb
        .cell(0)
        .getByRole('button', { name: /^Refine cell/ })
        .click(),
    () => nb.palette('Refine Cell'),
    () => page.menu.clickMenuItem('Run>Refine Cell'),
    async () => {
      await nb.cell(0).locator('.jp-InputPrompt').click({ button: 'right' });
      await page
        .locator('.lm-Menu-itemLabel', { hasText: /^Refine Cell$/ })
        .first()
        .click();
    },
    () => page.keyboard.press('Alt+Shift+Enter')
  ];
  for (const refine of entries) {
    await nb.select(0);
    await refine();
    await nb.expectPassed(1);
    await nb.button('Restore cell').click();
    await expect.poll(() => nb.source(0)).toBe(cells[0].source);
  }
});

test('the demo opens from the set-up view and passes on attempt 3', async ({
  page
}) => {
  await page.setViewportSize({ width: 1280, height: 860 });
  await page.goto(`http://localhost:${NO_MODEL_PORT}/lab?reset`);
  const nb = new RefineNotebook(page as never, '');
  await nb.command('jupyterlab-refine:show-panel');
  await nb.button('Open the demo').click();
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  await nb.waitForKernel();
  await nb.refine(1);
  await nb.expectPassed(3);
  // Recorded answers are labelled so.
  await expect(nb.panel.getByText(/recorded/i).first()).toBeVisible();
  await nb.expectText('4 of 4 and 1 held out');
});

test('the card in the Launcher opens an example that passes @full', async ({
  page
}) => {
  await page.goto(`http://localhost:${NO_MODEL_PORT}/lab?reset`);
  const nb = new RefineNotebook(page as never, '');
  await nb.command('jupyterlab-refine:show-panel');
  // Before a cell is selected, the panel says what to do.
  await expect(nb.panel.getByRole('listitem')).toHaveCount(3);
  await expect(nb.panel.getByRole('img', { name: /attempt/ })).toBeVisible();

  await page
    .locator('.jp-LauncherCard', { hasText: 'Refine a Cell (Example)' })
    .click();
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  await nb.waitForKernel();
  await nb.refine(1);
  await nb.expectPassed(3);

  // A second use leads back to it, and leaves it as it is.
  await nb.command('launcher:create');
  await page
    .locator('.jp-LauncherCard', { hasText: 'Refine a Cell (Example)' })
    .last()
    .click();
  await expect(nb.cell(1).locator('.cm-content')).toContainText(
    'def fibonacci'
  );
});
