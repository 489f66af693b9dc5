/** Tasks below each other, some with their checks in their own cell: each keeps its result and its badge. */
import { answer, expect, model, test, type RefineNotebook } from '../../refine';

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
  answer('So.', `def ${name}:\n    return ${body}`);

async function refineTarget(nb: RefineNotebook, index: number): Promise<void> {
  await nb.select(index);
  await nb.refine();
  await nb.expectPassed(1);
  await expect(nb.panel).toContainText(`cell ${index + 1}`);
}

test(
  'four tasks in any order keep their results and badges',
  { tag: '@full' },
  async ({ notebook }) => {
    const nb = await notebook('tasks', cells);
    await nb.open();
    const badge = (index: number) => nb.cell(index).locator('.jp-Refine-badge');

    await model.load({ answers: [{ text: solution('add(a, b)', 'a + b') }] });
    await refineTarget(nb, 1);
    await model.load({ answers: [{ text: solution('double(n)', '2 * n') }] });
    await refineTarget(nb, 7);
    expect(await nb.source(7)).toBe(`def double(n):\n    return 2 * n${TAIL}`);
    const [request] = await model.requests();
    const prompt = JSON.stringify(request!.body);
    expect(prompt).toContain('Double a number.');
    expect(prompt).toContain('assert double(2) == 4');

    // The candidate brings an assertion of its own, which is no check of another cell.
    await model.load({
      answers: [
        { text: solution('sub(a, b)', 'a - b\n\nassert sub(5, 2) == 3') }
      ]
    });
    await refineTarget(nb, 4);
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
  }
);

test(
  'Refine means the same target from a text, a demonstration and a test',
  { tag: '@full' },
  async ({ notebook }) => {
    const nb = await notebook('squares', [
      { id: 'h', source: '# Problem 1', type: 'markdown' },
      { id: 'm', source: 'Write squares(n).', type: 'markdown' },
      { id: 't', source: 'def squares(n):\n    raise NotImplementedError()' },
      { id: 'd', source: 'squares(10)' },
      { id: 'a', source: 'assert squares(1) == [1]' }
    ]);
    await nb.open();
    await nb.command('jupyterlab-refine:show-panel');
    for (const index of [4, 3, 2, 1, 0]) {
      await nb.select(index);
      await expect(
        nb.panel.getByText('Write squares(n).').first()
      ).toBeVisible();
      await expect(nb.panel.getByText('cell 3').first()).toBeVisible();
    }
  }
);

test('a result that is only shown is offered as an assertion', async ({
  notebook
}) => {
  await model.load({ answers: [] });
  const nb = await notebook('shown', [
    { id: 't', source: 'def add(a, b):\n    return a + b' },
    { id: 'd', source: 'print(add(1, 2))  # 3' }
  ]);
  await nb.open();
  await nb.command('jupyterlab-refine:show-panel');
  await nb.select(0);
  await nb.panel
    .getByRole('button', { name: 'Add assert add(1, 2) == 3' })
    .click();
  expect(await nb.source(1)).toContain('assert add(1, 2) == 3');
  await expect(nb.panel.getByText('Nothing checks this cell yet.')).toHaveCount(
    0
  );
});
