/** Cells above the target that have not run in the kernel. */
import { answer, expect, model, test, type CellInput } from '../../refine';

const cells: readonly CellInput[] = [
  { id: 'import', source: 'import math' },
  { id: 'data', source: 'numbers = [math.sqrt(4), 3.0]' },
  { id: 'slow', source: 'posted = len(numbers)', tags: ['refine-skip'] },
  { id: 'target', source: '# total: the sum of `numbers`\n' },
  { id: 'checks', source: 'assert total == 5' }
];
const right = { text: answer('Add.', 'total = sum(numbers)') };

test(
  'cells above are offered, run on request and not offered again',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({ answers: [right] });
    const nb = await notebook('unrun', cells);
    await nb.open();
    await nb.select(3);
    await nb.refine();
    const question = nb.panel.getByRole('alertdialog');
    await expect(question).toContainText(
      'Cells 1 to 3 have not run in this kernel. Run them first?'
    );
    await page.screenshot({ path: 'test-results/unrun.png' });
    expect(await model.requests()).toHaveLength(0);
    await question
      .getByRole('button', { name: 'Run cells 1 and 2' })
      .press('Enter');
    await nb.expectPassed(1);
    expect(await nb.evaluate("globals().get('posted')")).toBe('None');
    await expect(nb.cell(0).locator('.jp-InputPrompt')).toContainText('[1]');
    const prompt = JSON.stringify((await model.requests())[0].body);
    expect(prompt).toContain('These cells of the notebook have run');

    // The same kernel after a reload: its own history shows it.
    await nb.edit(3, '# total: the sum of `numbers`\n');
    await page.keyboard.press('Control+s');
    await page.reload();
    await nb.open();
    await model.load({ answers: [right] });
    await nb.select(3);
    await nb.refine();
    await nb.expectPassed(1);
  }
);

test(
  'a session without the cells above says so to the model',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: answer('Set.', 'total = 5') }] });
    const nb = await notebook('without', cells);
    await nb.open();
    await nb.select(3);
    await nb.refine();
    await nb.panel.getByRole('button', { name: 'Start without' }).click();
    await nb.expectPassed(1);
    const prompt = JSON.stringify((await model.requests())[0].body);
    expect(prompt).toContain('(Not run in this kernel');
    expect(prompt).not.toContain('have run');
  }
);
