/** What checks a cell: tags, and tasks below each other. */
import { answer, expect, model, test } from '../../refine';

test.describe('tags', () => {
  const cells = [
    {
      id: 'data',
      source: 'y_test = [1, 2]',
      tags: ['refine-hide: y_test']
    },
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'below', source: 'assert answer > 40\nassert answer < 100' },
    { id: 'tagged', source: 'assert answer == 42', tags: ['refine-assert'] },
    { id: 'idle', source: ' ', tags: ['refine-holdout'] }
  ];

  test('a tag adds a check, and the plan lists all of them', async ({
    notebook
  }) => {
    const nb = await notebook(cells, [
      answer('answer = 41'),
      answer('answer = 42')
    ]);
    await nb.select(1);
    await nb.command('jupyterlab-refine:show-panel');
    await nb.expectText(/cell 5: Tagged, but it checks nothing/);
    const plan = nb.button(/^Checks \d/);
    await expect(plan).toHaveText('Checks 3 assertions below · 1 hidden name');
    await plan.focus();
    await nb.page.keyboard.press('Enter');
    const list = nb.panel.getByRole('list', { name: 'Checks of this cell' });
    await expect(list.getByRole('listitem')).toHaveText([
      'cell 3: 2 assertions',
      'cell 4: 1 assertion, tagged',
      'cell 5: checks nothing',
      'cell 1: hides y_test'
    ]);
    await nb.page.keyboard.press('Tab');
    await nb.page.keyboard.press('Enter');
    await expect(nb.cell(2)).toHaveClass(/jp-mod-active/);

    await nb.select(1);
    const only = nb.panel.getByLabel('Use only tagged cells as checks');
    await only.click();
    await expect(plan).toHaveText('Checks 1 assertion below · 1 hidden name');
    await expect(list).not.toContainText('cell 3');
    expect(await nb.metadata(1)).toMatchObject({
      jupyterlab_refine: { onlyTagged: true }
    });
    await only.click();
    await expect(plan).toHaveText('Checks 3 assertions below · 1 hidden name');
    expect(await nb.metadata(1)).not.toHaveProperty('jupyterlab_refine');

    await nb.edit(4, 'assert answer % 2 == 0');
    await expect(plan).toContainText('1 held out');
    // Commands change the role, one at most.
    await nb.select(3);
    await nb.command('jupyterlab-refine:toggle-scorer');
    await expect
      .poll(() => nb.metadata(3))
      .toMatchObject({ tags: ['refine-scorer'] });
    await nb.command('jupyterlab-refine:toggle-assertion');
    await expect
      .poll(() => nb.metadata(3))
      .toMatchObject({ tags: ['refine-assert'] });
    await nb.refine(1);
    await nb.expectPassed(2);
    await nb.expectText('3 of 3 and 1 held out');
  });

  test('Refine is found by name, and the status bar says its end where the panel is hidden @full', async ({
    notebook
  }) => {
    const nb = await notebook(
      [
        { id: 'target', source: '# total: 10\n' },
        { id: 'checks', source: 'assert total == 10' },
        { id: 'other', source: 'x = 1' }
      ],
      [answer('total = 10', { tokensPerSecond: 15 })]
    );
    const { page } = nb;
    const label = page
      .locator('.jp-NotebookPanel-toolbar')
      .getByText('Refine', { exact: true });
    await page.setViewportSize({ width: 1500, height: 800 });
    await expect(label).toBeVisible();
    await page.setViewportSize({ width: 800, height: 800 });
    await expect(label).toBeHidden();
    await page.setViewportSize({ width: 1280, height: 800 });

    // By keyboard: a prompt cell for the active cell.
    await nb.select(2);
    await nb.palette('Insert %%refine Prompt Cell');
    await expect.poll(() => nb.source(2)).toBe('%%refine\n');
    expect(await nb.source(3)).toBe('x = 1');
    await nb.refine(0);
    const status = page.locator('.jp-Refine-statusItem');
    await expect(status).toHaveText(/Refine: attempt 1/);
    await page.keyboard.press('Escape');
    await page.evaluate(() => {
      (
        window.jupyterapp.shell as unknown as { collapseRight(): void }
      ).collapseRight();
    });
    await expect(status).toHaveText('Refine: passed on attempt 1');
    await status.press('Enter');
    await nb.expectPassed(1);
  });
});

test.describe('tasks', () => {
  const TAIL = '\n\n# Checks\nassert double(2) == 4\nassert double(0) == 0';
  const cells = [
    { id: 'm1', source: 'Add two numbers.', type: 'markdown' as const },
    { id: 't1', source: '' },
    { id: 'a1', source: 'assert add(1, 2) == 3' },
    { id: 'm2', source: 'Subtract two numbers.', type: 'markdown' as const },
    { id: 't2', source: '' },
    { id: 'a2', source: 'assert sub(3, 2) == 1' },
    { id: 'm3', source: 'Double a number.', type: 'markdown' as const },
    { id: 't3', source: `def double(n):\n    pass${TAIL}` },
    { id: 'm4', source: 'Halve a number.', type: 'markdown' as const },
    { id: 't4', source: '' },
    { id: 'a4', source: 'assert half(double(2)) == 2' }
  ];

  const solution = (name: string, body: string) =>
    answer(`def ${name}:\n    return ${body}`);

  test('four tasks in any order keep their results and badges @full', async ({
    notebook
  }) => {
    // The last brings an assertion of its own, which is no check of another cell.
    const nb = await notebook(cells, [
      solution('add(a, b)', 'a + b'),
      solution('double(n)', '2 * n'),
      solution('sub(a, b)', 'a - b\n\nassert sub(5, 2) == 3')
    ]);
    const refineTarget = async (index: number) => {
      await nb.refine(index);
      await nb.expectPassed(1);
      await expect(nb.panel).toContainText(`cell ${index + 1}`);
    };
    const badge = (index: number) => nb.cell(index).locator('.jp-Refine-badge');

    await refineTarget(1);
    await refineTarget(7);
    expect(await nb.source(7)).toBe(`def double(n):\n    return 2 * n${TAIL}`);
    const prompt = await model.sent(1);
    expect(prompt).toContain('Double a number.');
    expect(prompt).toContain('assert double(2) == 4');

    await refineTarget(4);
    for (const index of [1, 4, 7]) {
      await expect(badge(index)).toHaveText(/^refined · (1 of 1|2 of 2)$/);
    }
    expect(await nb.source(9)).toBe('');

    // What was refined last stays, until another target is selected.
    await expect(nb.panel).toContainText('Subtract two numbers.');
    await nb.select(5);
    await expect(nb.panel).toContainText('Subtract two numbers.');
    await nb.select(10);
    await expect(nb.panel).toContainText('Halve a number.');
  });
});
