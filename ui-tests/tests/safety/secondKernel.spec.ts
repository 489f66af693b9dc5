import { answer, expect, model, test } from '../../refine';

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
