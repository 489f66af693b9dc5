import { answer, type CellInput, expect, model, test } from '../../refine';

const half: readonly CellInput[] = [
  { id: 'half', source: '# half(x)\n' },
  {
    id: 'checks',
    source:
      'import math\nassert half(0) == 0\nassert math.isclose(half(3), 1.5)'
  }
];
const money: readonly CellInput[] = [
  { id: 'money', source: '# Money(n): compares by amount\n' },
  {
    id: 'checks',
    source: 'assert Money(1).n == 1\nassert Money(1) == Money(1)'
  }
];

test('a pass with all checks confirmed runs, and says no more', async ({
  notebook
}) => {
  const nb = await notebook(half, [answer('def half(x):\n    return x / 2')]);
  await nb.refine(0);
  await nb.expectPassed(1);
  await expect.poll(() => nb.evaluate('half(3)')).toBe('1.5');
  await expect(nb.panel.getByText(/not confirmed/)).toHaveCount(0);
  await expect(nb.cell(0).getByText('refined · 2 of 2')).toHaveText(
    'refined · 2 of 2'
  );

  // A check that is edited and fails afterwards counts.
  await nb.edit(1, 'assert half(1) == 43');
  await nb.run(1);
  await nb.expectHeading(
    'Passed on attempt 1, but cell 2 failed in the notebook: AssertionError'
  );
});

test('a check that a class of the candidate decides is named before the cell runs', async ({
  notebook
}) => {
  const nb = await notebook(money, [
    answer(
      'class Money:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, other):\n        return True'
    )
  ]);
  await nb.refine(0);

  const check = 'assert Money(1) == Money(1)';
  const reason = /Money\.__eq__/;
  await expect(nb.question).toContainText('Passed. Write it to cell 1?');
  await expect(nb.question).toContainText(check);
  await expect(nb.question).toContainText(reason);
  expect(await nb.evaluate("'Money' in globals()")).toBe('False');
  await nb.button('Write only').click();

  await nb.expectHeading('Passed on attempt 1; 1 of 2 checks not confirmed');
  const list = nb.panel.getByRole('list', { name: 'Unconfirmed checks' });
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(list).toContainText(check);
  await expect(list).toContainText(reason);
  expect(await nb.evaluate("'Money' in globals()")).toBe('False');

  await expect(
    nb.cell(0).getByText('refined · 2 of 2 · 1 of 2 checks not confirmed')
  ).toHaveAttribute('title', /A confirmed check also passed/);
  expect(await nb.result(0)).toMatchObject({ confirmed: { n: 1, of: 2 } });
});

test('Stop ends an attempt at once while it is judged', async ({
  notebook
}) => {
  // Only the attempt's own process calls it from a check.
  const condition =
    'not sys._getframe(1).f_code.co_filename.startswith("<check")';
  const code = `import sys, time\ndef half(x):\n    if ${condition}:\n        time.sleep(600)\n    return x / 2`;
  const nb = await notebook(half, [answer(code, { times: 0 })]);
  await nb.refine(0);
  // All visible checks have held by then.
  await model.expectRequests(1);
  await nb.page.waitForTimeout(4000);
  await nb.button('Stop', true).click();
  await expect(nb.button('Stop', true)).toBeHidden({ timeout: 3000 });
  await expect(nb.panel.getByText(/Passed/)).toHaveCount(0);
  expect(await nb.source(0)).toBe(half[0].source);
});
