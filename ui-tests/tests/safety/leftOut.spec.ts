import { answer, expect, model, test, type CellInput } from '../../refine';

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
  'an answer that leaves functions out is asked about',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: answer('It subtracts.', ADD) }] });
    const nb = await notebook('left-out', cells);
    await nb.open();
    await nb.select(0);
    await nb.refine();
    const question = nb.panel.getByRole('heading', {
      name: 'Passed. Write it to cell 1?'
    });
    await expect(question).toBeVisible({ timeout: 60_000 });
    await expect(
      nb.panel.getByText(
        'The answer leaves out what the cell defines: math, helper, mul. Writing it removes that.'
      )
    ).toBeVisible();
    await nb.page.screenshot({ path: 'test-results/left-out.png' });
    expect(await nb.page.locator('.jp-Notebook').innerText()).toContain('mul');
    await nb.panel.getByRole('button', { name: 'Leave unchanged' }).click();
    await expect.poll(() => nb.source(0)).toBe(SOURCE);
  }
);

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
