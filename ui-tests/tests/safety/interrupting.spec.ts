/** Sessions that are cut: by the user, a reload, a model that gives no answer. */
import { NO_MODEL_PORT } from '../../ports';
import { answer, type CellInput, expect, model, test } from '../../refine';

test.describe('interrupting', () => {
  const cells: readonly CellInput[] = [
    { id: 'free', source: 'kept = 41' },
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ];

  test(
    'stop while the model writes reaches the provider at once',
    { tag: '@full' },
    async ({ notebook }) => {
      await model.load({
        answers: [
          {
            text: answer('x '.repeat(2000), 'answer = 42'),
            tokensPerSecond: 20
          }
        ]
      });
      const nb = await notebook('stop-writing', cells);
      await nb.open();
      await nb.select(1);
      await nb.refine();
      await expect(nb.panel.getByText('writing').first()).toBeVisible();
      await expect.poll(async () => (await model.requests()).length).toBe(1);
      await nb.panel.getByRole('button', { name: 'Stop' }).click();
      await expect
        .poll(async () => (await model.requests())[0].state, { timeout: 1500 })
        .toBe('aborted');
      await expect(
        nb.panel.getByRole('heading', { name: /You stopped/ })
      ).toBeVisible();
      expect(await nb.source(1)).toBe(cells[1].source);
    }
  );
});

test.describe('model faults', () => {
  const cells: readonly CellInput[] = [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ];
  const text = answer('Add one.', 'answer = 42');

  test('a refused key is named', { tag: '@full' }, async ({ notebook }) => {
    const fault = { type: 'status', status: 401 } as const;
    await model.load({ answers: [{ text, fault, times: 0 }] });
    const nb = await notebook('fault', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    await expect(
      nb.panel.getByRole('heading', { name: 'The model gave no answer' })
    ).toBeVisible({ timeout: 30_000 });
    await expect(nb.panel.getByText(/refused the key/)).toHaveCount(1);
    await expect(
      nb.panel.getByText(/Traceback|at Object|undefined/)
    ).toHaveCount(0);
    expect(await nb.source(0)).toBe(cells[0].source);
    // By keyboard alone.
    await nb.panel.getByRole('button', { name: 'Enter a key…' }).press('Enter');
    await expect(nb.panel.getByLabel('Key', { exact: true })).toBeFocused();
  });

  test(
    'with no model there is the set-up view, and Check cell works',
    { tag: '@full' },
    async ({ notebook, page }) => {
      const nb = await notebook('no-model', [
        { id: 'target', source: 'answer = 41' },
        cells[1]
      ]);
      // The same folder, served by a JupyterLab that has no model.
      await page.goto(
        `http://localhost:${NO_MODEL_PORT}/lab/tree/${nb.path}?reset`
      );
      await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
      await nb.waitForKernel();
      await nb.select(0);
      await nb.command('jupyterlab-refine:show-panel');
      await expect(nb.panel.getByText('No model yet')).toBeVisible();
      await expect(
        nb.panel.getByRole('button', { name: 'Open the demo' })
      ).toBeVisible();
      await nb.command('jupyterlab-refine:check-cell');
      await expect(nb.panel.getByText('0 of 1').first()).toBeVisible();
      // Nor does code of your own need a model.
      const edit = nb.panel.getByRole('button', { name: 'edit', exact: true });
      await nb.more();
      await edit.click();
      await expect(
        nb.panel.getByRole('textbox', { name: /^Code / })
      ).toBeFocused();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('answer = 42');
      await page.keyboard.press('Control+Enter');
      await nb.expectPassed(1);
      await expect.poll(() => nb.source(0)).toBe('answer = 42');
    }
  );

  test(
    'a server without our routes needs a restart, said once',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await page.route('**/jupyterlab-refine/v1/**', route =>
        route.fulfill({ status: 404, body: 'Not found' })
      );
      const nb = await notebook('no-routes', cells);
      await nb.open();
      await nb.select(0);
      await nb.command('jupyterlab-refine:show-panel');
      await expect(
        nb.panel.getByText('Restart the Jupyter server')
      ).toHaveCount(1);
    }
  );
});
