import {
  answer,
  expect,
  model,
  test,
  type RefineNotebook,
  userSettings
} from '../../refine';

/** Part of a cell: the selected lines, or the function around the cursor; the rest stays byte for byte. */

const SOURCE = [
  '# prices; this comment stays',
  'rates = {"a": 2}\t',
  '',
  'class Shop:',
  '    def price(self, name):',
  '        return rates[name]',
  '',
  "    def name(self): return 'shop'   # so does this",
  '',
  '',
  'shop = Shop()',
  ''
].join('\n');
const CHECK = 'assert shop.price("a") == 2\nassert shop.price("b") == 0';

/** Cursor at the start of a line of the active cell, which is in edit mode; lines from 1. */
async function toLine(nb: RefineNotebook, line: number): Promise<void> {
  const { keyboard } = nb.page;
  await keyboard.press('Control+Home');
  for (let i = 1; i < line; i++) {
    await keyboard.press('ArrowDown');
  }
}

test('the function around the cursor is refined by keyboard, the rest of the cell stays', async ({
  notebook,
  page
}) => {
  await model.load({
    answers: [
      {
        text: answer(
          'Use get.',
          'def price(self, name):\n    return rates.get(name)'
        )
      },
      {
        // The whole cell, with other things changed: they do not count.
        text: answer(
          'With a default.',
          SOURCE.replace('rates[name]', 'rates.get(name, 0)')
            .replace('this comment stays', 'gone')
            .replace("'shop'   # so does this", '"shop"')
        )
      }
    ]
  });
  const nb = await notebook('selection-function', [
    { id: 'target', source: SOURCE },
    { id: 'check', source: CHECK }
  ]);
  await nb.open(0);
  await page.keyboard.press('Enter');
  await toLine(nb, 6);
  await page.keyboard.press('Control+Shift+Enter');
  const { panel } = nb;
  await expect(
    panel.getByRole('button', { name: 'Refines lines 5 to 6 only' })
  ).toBeVisible({ timeout: 45_000 });
  await nb.expectPassed(2);
  await expect
    .poll(() => nb.source(0))
    .toBe(SOURCE.replace('rates[name]', 'rates.get(name, 0)'));

  const [first, second] = await model.requests();
  const task = JSON.stringify(first.body);
  expect(task).toContain(
    JSON.stringify(
      'class Shop:\n    # --- to replace: start ---\n    def price(self, name):\n        return rates[name]\n    # --- to replace: end ---\n'
    ).slice(1, -1)
  );
  // The first answer was moved to the depth of the method, and is shown alone.
  expect(JSON.stringify(second.body)).toContain(
    JSON.stringify(
      '```python\n    def price(self, name):\n        return rates.get(name)\n```'
    ).slice(1, -1)
  );

  await panel
    .getByRole('button', { name: 'Refines lines 5 to 6 only' })
    .press('Enter');
  await page.keyboard.type('!');
  await expect
    .poll(() => nb.source(0))
    .toContain('class Shop:\n!    def price(self, name):');
});

test(
  'selected lines are refined from the palette, and again in a follow-up',
  { tag: '@full' },
  async ({ notebook, page }) => {
    const source =
      'import math\n\n# the area of a circle\nr = 2\narea = r\nprint(area)  # shown\n';
    await model.load({
      answers: [
        { text: answer('Square it.', 'r = 2\narea = math.pi * r ** 2') },
        {
          match: 'round it',
          text: answer('Rounded.', 'r = 2\narea = round(math.pi * r ** 2, 2)')
        }
      ]
    });
    const nb = await notebook('selection-lines', [
      { id: 'target', source },
      { id: 'check', source: 'assert 12.5 < area < 12.6' }
    ]);
    await nb.open(0);
    await page.keyboard.press('Enter');
    const item = page.locator(
      '#modal-command-palette .lm-CommandPalette-item',
      {
        hasText: 'Refine Selection'
      }
    );
    const palette = async () => {
      await page.keyboard.press('Control+Shift+c');
      await page
        .locator('#modal-command-palette input')
        .fill('refine selection');
    };
    // No function around the cursor, and nothing is selected.
    await toLine(nb, 4);
    await palette();
    await expect(item).toHaveClass(/lm-mod-disabled/);
    await expect(item).toBeHidden();
    await page.keyboard.press('Escape');
    await nb.select(0);
    await page.keyboard.press('Enter');
    await toLine(nb, 4);
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+End');
    await palette();
    await item.waitFor();
    await page.keyboard.press('Enter');

    const { panel } = nb;
    await expect(
      panel.getByRole('button', { name: 'Refines lines 4 to 5 only' })
    ).toBeVisible({ timeout: 45_000 });
    await nb.expectPassed(1);
    await expect
      .poll(() => nb.source(0))
      .toBe(source.replace('area = r\n', 'area = math.pi * r ** 2\n'));

    await nb.edit(0, `# mine\n${await nb.source(0)}`);
    const box = panel.getByRole('textbox', { name: /Ask for a change/ });
    await box.fill('round it');
    await box.press('Enter');
    await expect(
      panel.getByRole('button', { name: 'Refines lines 5 to 6 only' })
    ).toBeVisible({ timeout: 45_000 });
    await nb.expectPassed(1);
    await expect
      .poll(() => nb.source(0))
      .toBe(
        `# mine\n${source.replace('area = r\n', 'area = round(math.pi * r ** 2, 2)\n')}`
      );
  }
);

test(
  'Fix error keeps to the lines that are selected in its cell',
  { tag: '@full' },
  async ({ notebook, page }) => {
    const source =
      '# keep me\nrow = {"a": 1}\ntotal = row["b"]\n\nprint( total )\n';
    await model.load({
      answers: [{ text: answer('The key is a.', 'total = row["a"]') }]
    });
    const nb = await notebook('selection-error', [{ id: 'target', source }]);
    await nb.open();
    await nb.run(0);
    await expect(nb.cell(0).getByText('KeyError').first()).toBeVisible();
    await page.keyboard.press('Enter');
    await toLine(nb, 3);
    await page.keyboard.press('Shift+End');
    await nb.cell(0).getByRole('button', { name: 'Fix error' }).click();
    const { panel } = nb;
    await expect(
      panel.getByRole('button', { name: 'Refines line 3 only' })
    ).toBeVisible({ timeout: 45_000 });
    await panel
      .getByRole('button', { name: 'Write and run' })
      .click({ timeout: 45_000 });
    await expect
      .poll(() => nb.source(0))
      .toBe(source.replace('row["b"]', 'row["a"]'));
  }
);

test(
  'an edit meanwhile is shown in the review, where it can be kept',
  { tag: '@full' },
  async ({ notebook, page }) => {
    const source = 'r = 2\narea = r\nkept = 1\n';
    await model.load({
      answers: [
        { text: answer('Square it.', 'area = 3 * r ** 2'), tokensPerSecond: 5 }
      ]
    });
    const nb = await notebook('selection-edits', [
      { id: 'target', source },
      { id: 'check', source: 'assert area == 12' }
    ]);
    await nb.open(0);
    await page.keyboard.press('Enter');
    await toLine(nb, 2);
    await page.keyboard.press('Shift+End');
    await nb.command('jupyterlab-refine:refine-selection');
    const { panel } = nb;
    await expect(
      panel.getByRole('button', { name: 'Refines line 2 only' })
    ).toBeVisible({ timeout: 45_000 });
    await expect(panel.getByText('writing').first()).toBeVisible();
    const mine = `${source}more = 2\n`;
    await nb.edit(0, mine);
    await expect(panel.getByRole('alertdialog')).toContainText(
      'Cell 1 was edited during the session',
      { timeout: 45_000 }
    );
    expect(await nb.source(0)).toBe(mine);
    const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
    await review.getByRole('button', { name: 'Reject' }).last().click();
    await review.getByRole('button', { name: 'Write only' }).click();
    await expect
      .poll(() => nb.source(0))
      .toBe(mine.replace('area = r', 'area = 3 * r ** 2'));
  }
);

test.describe('review', () => {
  const START = [
    'def area(width, height):',
    '    return width + height',
    '',
    '# These lines stay.',
    'a = 1',
    'b = 2',
    'c = 3',
    'd = 4',
    '',
    'def label(n):',
    '    return str(n)'
  ].join('\n');
  const RIGHT = START.replace('width + height', 'width * height').replace(
    'return str(n)',
    "return f'{n} m2'"
  );
  const cells = [
    { id: 'target', source: START },
    { id: 'checks', source: 'assert area(2, 3) == 6\nassert area(0, 3) == 0' }
  ];

  test.describe('onPass ask', { tag: '@full' }, () => {
    test.use({ mockSettings: userSettings({ onPass: 'ask' }) });

    test('a pass is reviewed in the cell, part by part, by keyboard', async ({
      notebook
    }) => {
      await model.load({ answers: [{ text: answer('Multiply.', RIGHT) }] });
      const nb = await notebook('review', cells);
      await nb.open(0);
      await nb.refine();
      const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
      await expect(review).toContainText('2 parts to review');
      await expect(nb.panel.getByRole('alertdialog')).toContainText(
        'You can reject parts of it there; the rest is written.'
      );
      expect(await nb.source(0)).toBe(START);
      // The first part is right, the second was not asked for.
      await review.getByRole('button', { name: 'Accept' }).first().focus();
      await nb.page.keyboard.press('Enter');
      await expect(review).toContainText('1 part to review');
      await nb.page.keyboard.press('Tab');
      await nb.page.keyboard.press('Enter');
      await expect(review).toContainText('All parts reviewed');
      expect(await nb.source(0)).toBe(START);
      await review.getByRole('button', { name: 'Write and run' }).focus();
      await nb.page.keyboard.press('Enter');
      await expect(review).toHaveCount(0);
      expect(await nb.source(0)).toBe(
        START.replace('width + height', 'width * height')
      );
      await expect(nb.panel).toContainText(
        'The accepted parts were written to cell 1 and run.'
      );
    });
  });

  test.describe('one attempt', { tag: '@full' }, () => {
    test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

    test('a chosen attempt is reviewed, and left out again', async ({
      notebook
    }) => {
      const wrong = START.replace('width + height', 'width * 2');
      await model.load({ answers: [{ text: answer('Subtract.', wrong) }] });
      const nb = await notebook('choose', cells);
      await nb.open(0);
      await nb.refine();
      await nb.panel.getByRole('button', { name: 'Use attempt 1' }).click();
      const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
      await expect(review).toContainText('1 part to review');
      await review.getByRole('button', { name: 'Reject' }).click();
      await expect(review).toContainText('All parts reviewed');
      await review.getByRole('button', { name: 'Leave unchanged' }).click();
      await expect(review).toHaveCount(0);
      await expect(nb.panel.getByRole('alertdialog')).toHaveCount(0);
      expect(await nb.source(0)).toBe(START);
    });
  });
});
