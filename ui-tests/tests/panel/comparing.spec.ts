/** Two attempts against each other, in a tab. */
import { answer, expect, model, test, userSettings } from '../../refine';

const lines = Array.from({ length: 20 }, (_, i) => `line_${i} = ${i}`);
const start = ['def total():', '    return 1', ...lines].join('\n');
const first = start.replace('return 1', 'return 2');
const second = start.replace('return 1', 'return sum([1, 2])');

test.use({ mockSettings: userSettings({ maxAttempts: 2 }) });

test(
  'attempts and cell are compared side by side',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('Two.', first) },
        { text: answer('A sum.', second) }
      ]
    });
    const nb = await notebook('comparing', [
      { id: 'target', source: start },
      { id: 'checks', source: 'assert total() == 4' },
      { id: 'held', source: 'assert total() > 3', tags: ['refine-holdout'] }
    ]);
    await nb.open();
    const { page } = nb;
    await nb.select(0);
    await nb.refine();
    await expect(
      nb.panel.getByRole('heading', { name: /Stopped after 2/ })
    ).toBeVisible({ timeout: 60_000 });
    await nb.more();
    await nb.panel
      .getByRole('button', { name: 'compare', exact: true })
      .click();

    const tab = page.getByRole('tabpanel', { name: 'Compare cell 1' });
    const left = page.getByLabel('Compare', { exact: true });
    const right = page.getByLabel('Compare with', { exact: true });
    await expect(left).toHaveValue('1');
    await expect(right).toHaveValue('2');
    // A count is the same as in the panel: hold-outs apart.
    await expect(right.locator('option[value="2"]')).toHaveText(
      'Attempt 2 · 0 of 1'
    );
    await expect(
      nb.panel.getByRole('button', { name: /^Attempt 2/ })
    ).toContainText('0 of 1');
    const editors = tab.locator('.cm-content');
    await expect(editors).toHaveCount(2);
    await expect(editors.nth(0)).toContainText('return 2');
    await expect(editors.nth(1)).toContainText('return sum([1, 2])');
    // What both have in common is folded; the rest is highlighted as Python.
    await expect(tab.locator('.cm-collapsedLines').first()).toContainText(
      'unchanged lines'
    );
    await expect(editors.nth(1)).not.toContainText('line_10');
    const color = (text: string) =>
      editors
        .nth(1)
        .getByText(text, { exact: true })
        .first()
        .evaluate(node => getComputedStyle(node).color);
    expect(await color('def')).not.toBe(await color('total'));
    await page.screenshot({ path: 'test-results/compare-light.png' });

    // Attempt 0 and the cell are sides as well.
    await left.selectOption('0');
    await right.selectOption('cell');
    await expect(tab.getByRole('status')).toHaveText('No difference.');
    await left.selectOption('2');
    await expect(tab.getByRole('status')).toHaveText('1 change.');
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('apputils:change-theme', {
        theme: 'JupyterLab Dark'
      })
    );
    await expect(page.locator('body')).toHaveAttribute(
      'data-jp-theme-light',
      'false'
    );
    await page.screenshot({ path: 'test-results/compare-dark.png' });
  }
);
