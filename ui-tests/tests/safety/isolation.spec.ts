import { answer, expect, model, test } from '../../refine';

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
    await nb.panel.getByRole('button', { name: 'in a second kernel' }).click();
    await expect(nb.panel).toContainText(
      'Attempts run in a second kernel, with copies of: sales'
    );
    await expect(nb.panel).toContainText('polars has started its threads');
    await expect.poll(kernels).toBe(before);
    await expect.poll(() => nb.evaluate('sales.height')).toBe('3');
  }
);
