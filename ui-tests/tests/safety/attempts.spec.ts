/** What attempts can do to the user's kernel, and answers that leave code out. */
import { answer, type CellInput, expect, model, test } from '../../refine';

test.describe('isolation', () => {
  test('a candidate that breaks the live frame leaves it as it was', async ({
    notebook
  }) => {
    await model.load({
      answers: [
        {
          text: answer(
            'Drop what is not needed, then group.',
            "orders.drop(columns='note', inplace=True)\norders.loc[:, 'amount'] = 0\nmonthly = orders.groupby('Region').amount.sum()"
          )
        },
        {
          text: answer(
            'The column is called region.',
            "monthly = orders.groupby('region').amount.sum()"
          )
        }
      ]
    });
    const nb = await notebook('frame', [
      {
        id: 'load',
        source:
          "import pandas as pd\norders = pd.DataFrame({'region': ['EU', 'US', 'EU'], 'amount': [1, 2, 3], 'note': ['a', 'b', 'c']})"
      },
      { id: 'target', source: '# monthly: amount per region, from orders\n' },
      {
        id: 'checks',
        source: "assert monthly['EU'] == 4\nassert len(monthly) == 2"
      }
    ]);
    await nb.open();
    await nb.run(0);
    await expect.poll(() => nb.evaluate('orders.shape')).toBe('(3, 3)');
    const history = await nb.evaluate('len(In)');
    await nb.select(1);
    await nb.command('jupyterlab-refine:show-panel');
    await nb.panel.getByText('What will be sent').click();
    // Types and columns of the frame that prompt and target name; no values.
    await expect(nb.panel.getByText(/amount/).first()).toBeVisible();
    await nb.refine();
    await nb.expectPassed(2);
    // A second ago it was open by itself; the second one has closed it.
    await nb.panel.getByRole('button', { name: /^Attempt 1/ }).click();
    await expect(nb.panel.getByText(/KeyError/).first()).toBeVisible();

    expect(await nb.evaluate('list(orders.columns)')).toBe(
      "['region', 'amount', 'note']"
    );
    expect(await nb.evaluate('int(orders.amount.sum())')).toBe('6');
    expect(await nb.evaluate("int(monthly['EU'])")).toBe('4');
    // Accepted cell and its checks ran as cells; the attempts left no history.
    expect(Number(await nb.evaluate('len(In)'))).toBeLessThanOrEqual(
      Number(history) + 2
    );
    const first = JSON.stringify((await model.requests())[0].body);
    expect(first).toContain('region');
    expect(first).toContain('orders');
  });

  /** A real polars whose threads have started: the kernel cannot be forked. */
  const POLARS = [
    'import polars as pl',
    'sales = pl.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})',
    'by_region = sales.group_by("region").agg(pl.col("amount").sum())'
  ].join('\n');

  test(
    'attempts run in a second kernel beside polars threads',
    { tag: '@full' },
    async ({ notebook, request, baseURL }) => {
      await model.load({
        answers: [
          { text: answer('Count.', 'total = sales.height\nsales = None') },
          { text: answer('Sum.', 'total = sales["amount"].sum()') }
        ]
      });
      const nb = await notebook('secondKernel', [
        { id: 'above', source: POLARS },
        { id: 'target', source: '# total: the sum of all amounts\n' },
        { id: 'checks', source: 'assert total == 6' }
      ]);
      await nb.open();
      const kernels = async () =>
        (
          (await (
            await request.get(`${baseURL}/api/kernels`)
          ).json()) as unknown[]
        ).length;
      const before = await kernels();
      await nb.run(0);
      await nb.select(1);
      await nb.command('jupyterlab-refine:refine-cell');
      await nb.expectPassed(2);
      await expect
        .poll(() => nb.source(1))
        .toBe('# total: the sum of all amounts\ntotal = sales["amount"].sum()');
      await nb.panel.getByRole('button', { name: /^Prompt/ }).click();
      await nb.panel
        .getByRole('button', { name: 'in a second kernel' })
        .click();
      await expect(nb.panel).toContainText(
        'Attempts run in a second kernel, with copies of: sales'
      );
      await expect(nb.panel).toContainText('polars has started its threads');
      await expect.poll(kernels).toBe(before);
      await expect.poll(() => nb.evaluate('sales.height')).toBe('3');
    }
  );
});

test.describe('left out', () => {
  const SOURCE = `# Fix add: it subtracts.
import math

def helper(x):
    return math.sqrt(x)

def add(a, b):
    return a - b

def mul(a, b):
    return a * b`;
  const FIXED = SOURCE.replace('a - b', 'a + b');
  const ADD = 'def add(a, b):\n    return a + b';
  const cells: readonly CellInput[] = [
    { id: 'target', source: SOURCE },
    { id: 'checks', source: 'assert add(1, 2) == 3' }
  ];

  test(
    'an answer that says the rest stays is put into the cell',
    { tag: '@full' },
    async ({ notebook }) => {
      const lazy = `# ... existing code ...\n\n${ADD}\n\n# ... rest of the code remains the same ...`;
      await model.load({ answers: [{ text: answer('It subtracts.', lazy) }] });
      const nb = await notebook('existing-code', cells);
      await nb.open();
      await nb.select(0);
      await nb.refine();
      await nb.expectPassed(1);
      await expect.poll(() => nb.source(0)).toBe(FIXED);
      await expect(
        nb.panel.getByText(/Kept from the cell, since the answer left it out/)
      ).toBeVisible();
      await nb.page.screenshot({ path: 'test-results/existing-code.png' });
    }
  );
});
