import {
  answer,
  expect,
  model,
  test,
  type RefineNotebook,
  testWith
} from '../../refine';

/** Part of a cell: the selected lines; the rest stays byte for byte. */

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

test('selected lines are refined by keyboard, the rest of the cell stays', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'target', source: SOURCE },
      { id: 'check', source: CHECK }
    ],
    [
      answer('def price(self, name):\n    return rates.get(name)'),
      answer(
        SOURCE.replace('rates[name]', 'rates.get(name, 0)')
          .replace('this comment stays', 'gone')
          .replace("'shop'   # so does this", '"shop"')
      )
    ]
  );
  await nb.select(0);
  await page.keyboard.press('Enter');
  await toLine(nb, 5);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Control+Shift+Enter');
  await expect(nb.button('Refines lines 5 to 6 only')).toBeVisible();
  await nb.expectPassed(2);
  await expect
    .poll(() => nb.source(0))
    .toBe(SOURCE.replace('rates[name]', 'rates.get(name, 0)'));

  const task = await model.sent(0);
  expect(task).toContain(
    JSON.stringify(
      'class Shop:\n    # --- to replace: start ---\n    def price(self, name):\n        return rates[name]\n    # --- to replace: end ---\n'
    ).slice(1, -1)
  );
  // The first answer was moved to the depth of the method, and is shown alone.
  expect(await model.sent(1)).toContain(
    JSON.stringify(
      '```python\n    def price(self, name):\n        return rates.get(name)\n```'
    ).slice(1, -1)
  );

  await nb.button('Refines lines 5 to 6 only').press('Enter');
  await page.keyboard.type('!');
  await expect
    .poll(() => nb.source(0))
    .toContain('class Shop:\n!    def price(self, name):');
});

test('selected lines are refined from the palette, and again in a follow-up @full', async ({
  notebook,
  page
}) => {
  const source =
    'import math\n\n# the area of a circle\nr = 2\narea = r\nprint(area)  # shown\n';
  const nb = await notebook(
    [
      { id: 'target', source },
      { id: 'check', source: 'assert 12.5 < area < 12.6' }
    ],
    [
      answer('r = 2\narea = math.pi * r ** 2'),
      answer('r = 2\narea = round(math.pi * r ** 2, 2)', { match: 'round it' })
    ]
  );
  await nb.select(0);
  await page.keyboard.press('Enter');
  const item = page.locator('#modal-command-palette .lm-CommandPalette-item', {
    hasText: 'Refine Selection'
  });
  // Nothing is selected.
  await toLine(nb, 4);
  await page.keyboard.press('Control+Shift+c');
  await page.locator('#modal-command-palette input').fill('refine selection');
  await expect(item).toHaveClass(/lm-mod-disabled/);
  await expect(item).toBeHidden();
  await page.keyboard.press('Escape');
  await nb.select(0);
  await page.keyboard.press('Enter');
  await toLine(nb, 4);
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+End');
  await nb.palette('Refine Selection');

  await expect(nb.button('Refines lines 4 to 5 only')).toBeVisible();
  await nb.expectPassed(1);
  await expect
    .poll(() => nb.source(0))
    .toBe(source.replace('area = r\n', 'area = math.pi * r ** 2\n'));

  await nb.edit(0, `# mine\n${await nb.source(0)}`);
  const box = nb.panel.getByRole('textbox', { name: /Ask for a change/ });
  await box.fill('round it');
  await box.press('Enter');
  await expect(nb.button('Refines lines 5 to 6 only')).toBeVisible();
  await nb.expectPassed(1);
  await expect
    .poll(() => nb.source(0))
    .toBe(
      `# mine\n${source.replace('area = r\n', 'area = round(math.pi * r ** 2, 2)\n')}`
    );
});

test('Fix error keeps to the lines that are selected in its cell @full', async ({
  notebook,
  page
}) => {
  const source =
    '# keep me\nrow = {"a": 1}\ntotal = row["b"]\n\nprint( total )\n';
  const nb = await notebook(
    [{ id: 'target', source }],
    [answer('total = row["a"]')]
  );
  await nb.run(0);
  await expect(nb.cell(0).getByText('KeyError').first()).toBeVisible();
  await page.keyboard.press('Enter');
  await toLine(nb, 3);
  await page.keyboard.press('Shift+End');
  await nb.cell(0).getByRole('button', { name: 'Fix error' }).click();
  await expect(nb.button('Refines line 3 only')).toBeVisible();
  await nb.button('Write and run').click();
  await expect
    .poll(() => nb.source(0))
    .toBe(source.replace('row["b"]', 'row["a"]'));
});

test('an edit meanwhile is shown in the review, where it can be kept @full', async ({
  notebook,
  page
}) => {
  const source = 'r = 2\narea = r\nkept = 1\n';
  const nb = await notebook(
    [
      { id: 'target', source },
      { id: 'check', source: 'assert area == 12' }
    ],
    [answer('area = 3 * r ** 2', { tokensPerSecond: 5 })]
  );
  await nb.select(0);
  await page.keyboard.press('Enter');
  await toLine(nb, 2);
  await page.keyboard.press('Shift+End');
  await nb.command('jupyterlab-refine:refine-selection');
  await expect(nb.button('Refines line 2 only')).toBeVisible();
  await nb.expectText('writing');
  const mine = `${source}more = 2\n`;
  await nb.edit(0, mine);
  await expect(nb.question).toContainText(
    'Cell 1 was edited during the session'
  );
  expect(await nb.source(0)).toBe(mine);
  const review = nb.review(0);
  await review.getByRole('button', { name: 'Reject' }).last().click();
  await review.getByRole('button', { name: 'Write only' }).click();
  await expect
    .poll(() => nb.source(0))
    .toBe(mine.replace('area = r', 'area = 3 * r ** 2'));
});

testWith({ onPass: 'ask' })(
  'a pass is reviewed in the cell, part by part, by keyboard @full',
  async ({ notebook }) => {
    const kept = Array.from({ length: 6 }, (_, i) => `kept_${i} = ${i}`);
    const start = ['area = 2 + 3', ...kept, 'label = 1'].join('\n');
    const half = start.replace('2 + 3', '2 * 3');
    const nb = await notebook(
      [
        { id: 'target', source: start },
        { id: 'checks', source: 'assert area == 6' }
      ],
      [answer(half.replace('label = 1', "label = '1'"))]
    );
    await nb.refine(0);
    const review = nb.review(0);
    await expect(review).toContainText('2 parts to review');
    await expect(nb.question).toContainText(
      'You can reject parts of it there; the rest is written.'
    );
    // The first part is right, the second was not asked for.
    await review.getByRole('button', { name: 'Accept' }).first().focus();
    await nb.page.keyboard.press('Enter');
    await expect(review).toContainText('1 part to review');
    await nb.page.keyboard.press('Tab');
    await nb.page.keyboard.press('Enter');
    await expect(review).toContainText('All parts reviewed');
    expect(await nb.source(0)).toBe(start);
    await review.getByRole('button', { name: 'Write and run' }).focus();
    await nb.page.keyboard.press('Enter');
    await expect(review).toHaveCount(0);
    expect(await nb.source(0)).toBe(half);
    await expect(nb.panel).toContainText(
      'The accepted parts were written to cell 1 and run.'
    );
  }
);
