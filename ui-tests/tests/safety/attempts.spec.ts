import { answer, type CellInput, expect, model, test } from '../../refine';
import { NO_MODEL_PORT } from '../../ports';

/** What attempts can do to the user's kernel, and what a page without a model or a server shows. */

const ANSWER: readonly CellInput[] = [
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];

test.describe('isolation', () => {
  test('a candidate that breaks the live frame leaves it as it was', async ({
    notebook
  }) => {
    const nb = await notebook(
      [
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
      ],
      [
        answer(
          "orders.drop(columns='note', inplace=True)\norders.loc[:, 'amount'] = 0\nmonthly = orders.groupby('Region').amount.sum()"
        ),
        answer("monthly = orders.groupby('region').amount.sum()")
      ]
    );
    await nb.run(0);
    await expect.poll(() => nb.evaluate('orders.shape')).toBe('(3, 3)');
    const history = await nb.evaluate('len(In)');
    await nb.select(1);
    await nb.command('jupyterlab-refine:show-panel');
    await nb.panel.getByText('What will be sent').click();
    // Types and columns of the frame that prompt and target name; no values.
    await nb.expectText(/amount/);
    await nb.refine();
    await nb.expectPassed(2);
    // A second ago it was open by itself; the second one has closed it.
    await nb.toggle(1).click();
    await nb.expectText(/KeyError/);

    expect(await nb.evaluate('list(orders.columns)')).toBe(
      "['region', 'amount', 'note']"
    );
    expect(await nb.evaluate('int(orders.amount.sum())')).toBe('6');
    expect(await nb.evaluate("int(monthly['EU'])")).toBe('4');
    // Accepted cell and its checks ran as cells; the attempts left no history.
    expect(Number(await nb.evaluate('len(In)'))).toBeLessThanOrEqual(
      Number(history) + 2
    );
    const first = await model.sent(0);
    expect(first).toContain('region');
    expect(first).toContain('orders');
  });

  /** A real polars whose threads have started: the kernel cannot be forked. */
  const POLARS = [
    'import polars as pl',
    'sales = pl.DataFrame({"region": ["n", "s", "n"], "amount": [1, 2, 3]})',
    'by_region = sales.group_by("region").agg(pl.col("amount").sum())'
  ].join('\n');

  test('attempts run in a second kernel beside polars threads @full', async ({
    notebook,
    request,
    baseURL
  }) => {
    const nb = await notebook(
      [
        { id: 'above', source: POLARS },
        { id: 'target', source: '# total: the sum of all amounts\n' },
        { id: 'checks', source: 'assert total == 6' }
      ],
      [
        answer('total = sales.height\nsales = None'),
        answer('total = sales["amount"].sum()')
      ]
    );
    const kernels = async () => {
      const response = await request.get(`${baseURL}/api/kernels`);
      return ((await response.json()) as unknown[]).length;
    };
    const before = await kernels();
    await nb.run(0);
    await nb.select(1);
    await nb.command('jupyterlab-refine:refine-cell');
    await nb.expectPassed(2);
    await expect
      .poll(() => nb.source(1))
      .toBe('# total: the sum of all amounts\ntotal = sales["amount"].sum()');
    await nb.button(/^Prompt/).click();
    await nb.button('in a second kernel').click();
    await expect(nb.panel).toContainText(
      'Attempts run in a second kernel, with copies of the variables that they use'
    );
    await expect(nb.panel).toContainText('polars has started its threads');
    await expect.poll(kernels).toBe(before);
    await expect.poll(() => nb.evaluate('sales.height')).toBe('3');
  });
});

test.describe('safety', () => {
  test('nothing a model or a kernel prints runs, links or loads', async ({
    notebook,
    page
  }) => {
    const html =
      '<img src="https://evil.example/x.png" onerror="window.__evil = 1"><script>window.__evil = 2</script><a data-commandlinker-command="filebrowser:open-browser-tab" href="javascript:window.__evil=3">click</a>';
    const outside: string[] = [];
    page.on('request', request => {
      if (!request.url().startsWith('http://localhost')) {
        outside.push(request.url());
      }
    });
    const nb = await notebook(ANSWER, [
      answer(
        `from IPython.display import HTML, display\nprint(${JSON.stringify(html)})\ndisplay(HTML(${JSON.stringify(html)}))\nraise ValueError(${JSON.stringify(html)})`,
        {},
        html
      ),
      answer('answer = 42')
    ]);
    await nb.refine(0);
    await nb.expectPassed(2);
    await nb.toggle(1).click();
    await nb.more();
    for (const part of ['thoughts', 'output', 'traceback', 'prompt']) {
      await nb.button(part, true).last().click();
    }
    await nb.expectText('evil.example');
    expect(await nb.panel.locator('img, script, iframe, object').count()).toBe(
      0
    );
    expect(await nb.panel.locator('[data-commandlinker-command]').count()).toBe(
      0
    );
    expect(await page.evaluate(() => '__evil' in window)).toBe(false);
    expect(outside.filter(url => url.includes('evil'))).toEqual([]);
  });

  test('no candidate, page or notebook can see the key', async ({
    notebook,
    page
  }) => {
    const canary = 'canary-9f8e7d6c5b4a';
    const seen: string[] = [];
    page.on('response', async response => {
      if (/jupyterlab-refine|api/.test(response.url())) {
        seen.push(await response.text().catch(() => ''));
      }
    });
    page.on('console', message => seen.push(message.text()));
    const nb = await notebook(ANSWER, [
      answer(
        'import os\nfor name, value in os.environ.items():\n    print(name, value)\nanswer = 1'
      ),
      answer('answer = 42')
    ]);
    await nb.refine(0);
    await nb.expectPassed(2);
    await page.keyboard.press('Control+s');
    const saved = await page.request.get(
      `http://localhost:${new URL(page.url()).port}/api/contents/${nb.path}?content=1`
    );
    seen.push(await saved.text(), await page.content());
    seen.push(await page.evaluate(() => JSON.stringify({ ...sessionStorage })));
    // The provider did get it: the canary is the real key.
    const [request] = await model.requests();
    expect(JSON.stringify(request.headers)).toContain(canary);
    expect(seen.join('\n')).not.toContain(canary);
    expect(await model.sent()).not.toContain(canary);
  });
});

test('with no model there is the set-up view, and Check cell works @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook([
    { id: 'target', source: 'answer = 41' },
    ANSWER[1]
  ]);
  // The same folder, served by a JupyterLab that has no model.
  await page.goto(
    `http://localhost:${NO_MODEL_PORT}/lab/tree/${nb.path}?reset`
  );
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  await nb.waitForKernel();
  await nb.select(0);
  await nb.command('jupyterlab-refine:show-panel');
  await nb.expectText('No model yet');
  await expect(nb.button('Open the demo')).toBeVisible();
  await nb.command('jupyterlab-refine:check-cell');
  await nb.expectText('0 of 1');
  // Nor does code of your own need a model.
  await nb.more();
  await nb.button('edit', true).click();
  await expect(nb.panel.getByRole('textbox', { name: /^Code / })).toBeFocused();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('answer = 42');
  await page.keyboard.press('Control+Enter');
  await nb.expectPassed(1);
  await expect.poll(() => nb.source(0)).toBe('answer = 42');
});

test('a server without our routes needs a restart, said once @full', async ({
  notebook,
  page
}) => {
  await page.route('**/jupyterlab-refine/v1/**', route =>
    route.fulfill({ status: 404, body: 'Not found' })
  );
  const nb = await notebook(ANSWER);
  await nb.select(0);
  await nb.command('jupyterlab-refine:show-panel');
  await expect(nb.panel.getByText('Restart the Jupyter server')).toHaveCount(1);
});
