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
  await model.load({
    answers: [
      { text: answer('Start with 1, 1.', wrong), tokensPerSecond: 200 },
      { text: answer('Start with 0, 1.', right), tokensPerSecond: 200 }
    ]
  });
  const nb = await notebook('fibonacci', cells);
  await nb.open(0);
  await nb.refine();
  await nb.expectPassed(2);

  await expect(nb.panel.getByText('3 of 3 and 1 held out')).toBeVisible();
  expect(await nb.source(0)).toContain('a, b = 0, 1');
  // Run in the notebook: the user's kernel has the function now.
  await expect.poll(() => nb.evaluate('fibonacci(30)')).toBe('832040');
  const { jupyterlab_refine: refine } = (await nb.metadata(0)) as {
    jupyterlab_refine: { result: Record<string, unknown> };
  };
  expect(refine.result).toMatchObject({
    attempts: 2,
    stopReason: 'passed',
    checkedBy: 'assertions'
  });
  await expect(nb.cell(0).getByText('refined · 3 of 3')).toBeVisible();

  // The failed attempt says which assertion failed, with both sides.
  await nb.panel.getByRole('button', { name: /^Attempt 1 / }).click();
  await expect(
    nb.panel.getByText('fibonacci(0) == 0', { exact: false }).first()
  ).toBeVisible();
  await expect(nb.panel.getByText('observed').first()).toBeVisible();
  await nb.panel
    .getByRole('button', { name: /^failed: fibonacci\(0\) == 0/ })
    .click();
  await expect(nb.cell(1)).toHaveClass(/jp-mod-active/);

  // What was wrong went back to the model; what is held out never did.
  const requests = await model.requests();
  expect(requests).toHaveLength(2);
  expect(JSON.stringify(requests[1].body)).toContain('fibonacci(0) == 0');
  expect(JSON.stringify(requests.map(r => r.body))).not.toContain('6765');
});

test('accepting is one undo step; Restore brings the source back', async ({
  notebook
}) => {
  await model.load({ answers: [{ text: answer('Loop.', right) }] });
  const nb = await notebook('undo', cells);
  await nb.open(0);
  await nb.refine();
  await nb.expectPassed(1);
  const before = cells[0].source;
  await expect.poll(() => nb.source(0)).toContain('def fibonacci');

  await nb.cell(0).locator('.cm-content').click();
  await nb.page.keyboard.press('Control+z');
  await expect.poll(() => nb.source(0)).toBe(before);
  await nb.page.keyboard.press('Control+Shift+z');
  await expect.poll(() => nb.source(0)).toContain('def fibonacci');

  await nb.panel.getByRole('button', { name: 'Restore cell' }).click();
  await expect.poll(() => nb.source(0)).toBe(before);
});

test('Check cell needs no model and calls none', async ({ notebook }) => {
  await model.load({ answers: [] });
  const nb = await notebook('check', [
    { id: 'fib', source: wrong },
    cells[1],
    cells[2]
  ]);
  await nb.open(0);
  await nb.command('jupyterlab-refine:check-cell');
  await expect(nb.panel.getByText('1 of 3').first()).toBeVisible();
  await expect(nb.panel.getByText('expected').first()).toBeVisible();
  expect(await model.requests()).toHaveLength(0);
  // Checking left nothing behind.
  expect(await nb.evaluate("'fibonacci' in globals()")).toBe('False');
});

test(
  'without any check it says so and never passes',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: answer('Loop.', right) }] });
    const nb = await notebook('unchecked', [
      cells[0],
      { id: 'maybe', source: 'print(fibonacci(3))' }
    ]);
    await nb.open(0);
    await nb.command('jupyterlab-refine:show-panel');
    await expect(
      nb.panel.getByText(/no assertion|nothing/i).first()
    ).toBeVisible();
    await nb.refine();
    await expect(nb.panel.getByText(/Not checked/).first()).toBeVisible();
    await expect(nb.panel.getByText(/Passed/)).toHaveCount(0);
    await expect(nb.panel.locator('.jp-mod-primary')).toHaveText([
      'Draft assertions'
    ]);
  }
);

const entries = [
  'palette',
  'cell toolbar',
  'menu',
  'context menu',
  'shortcut'
] as const;

for (const where of entries) {
  test(
    `refine from the ${where}`,
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({ answers: [{ text: answer('Loop.', right) }] });
      const nb = await notebook('entry', cells);
      await nb.open(0);
      switch (where) {
        case 'palette':
          await page.keyboard.press('Control+Shift+c');
          await page.locator('.lm-CommandPalette-input').fill('Refine cell');
          await page
            .locator('.lm-CommandPalette-itemLabel', {
              hasText: /^Refine cell$/i
            })
            .first()
            .click();
          break;
        case 'menu':
          await page
            .getByRole('menuitem', { name: 'Run', exact: true })
            .click();
          await page
            .locator('.lm-Menu-itemLabel', {
              hasText: /^Refine Cell$/
            })
            .first()
            .click();
          break;
        case 'context menu':
          await nb
            .cell(0)
            .locator('.jp-InputPrompt')
            .click({ button: 'right' });
          await page
            .locator('.lm-Menu-itemLabel', {
              hasText: /^Refine Cell$/
            })
            .first()
            .click();
          break;
        case 'cell toolbar':
          await nb
            .cell(0)
            .getByRole('button', { name: /^Refine cell/ })
            .click();
          break;
        case 'shortcut':
          await page.keyboard.press('Alt+Shift+Enter');
          break;
      }
      await nb.expectPassed(1);
    }
  );
}

test.describe('demo', () => {
  test('the demo opens from the set-up view and passes on attempt 3', async ({
    page
  }) => {
    await page.setViewportSize({ width: 1280, height: 860 });
    await page.goto(`http://localhost:${NO_MODEL_PORT}/lab?reset`);
    const nb = new RefineNotebook(page as never, '');
    await nb.command('jupyterlab-refine:show-panel');
    await nb.panel.getByRole('button', { name: 'Open the demo' }).click();
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.waitForKernel();
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(3);
    // Recorded answers are labelled so.
    await expect(nb.panel.getByText(/recorded/i).first()).toBeVisible();
    await expect(nb.panel.getByText('4 of 4 and 1 held out')).toBeVisible();
  });

  test(
    'the card in the Launcher opens an example that passes',
    { tag: '@full' },
    async ({ page }) => {
      await page.goto(`http://localhost:${NO_MODEL_PORT}/lab?reset`);
      const nb = new RefineNotebook(page as never, '');
      await nb.command('jupyterlab-refine:show-panel');
      // Before a cell is selected, the panel says what to do.
      await expect(nb.panel.getByRole('listitem')).toHaveCount(3);
      await expect(
        nb.panel.getByRole('img', { name: /attempt/ })
      ).toBeVisible();

      await page
        .locator('.jp-LauncherCard', { hasText: 'Refine a Cell (Example)' })
        .click();
      await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
      await nb.waitForKernel();
      await nb.select(1);
      await nb.refine();
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
    }
  );
});
