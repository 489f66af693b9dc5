import { answer, expect, model, test, type RefineNotebook } from '../../refine';

const RIGHT = 'def double(x):\n    return 2 * x';
const cells = [
  { id: 'target', source: '# double(x): twice x\n' },
  { id: 'checks', source: 'assert double(2) == 4\nassert double(3) == 7' }
];
const OBJECTION =
  '```dispute\ncheck: 2\nreason: Twice 3 is 6, as the task says.\n```\n';

/** One attempt that fails at the second check, then an objection to it. */
async function dispute(nb: RefineNotebook, ...more: readonly string[]) {
  await model.load({
    answers: [
      { text: answer('Double it.', RIGHT) },
      { text: OBJECTION },
      ...more.map(text => ({ text }))
    ]
  });
  await nb.open();
  await nb.select(0);
  await nb.refine();
  await expect(nb.panel).toContainText('Twice 3 is 6, as the task says.', {
    timeout: 45_000
  });
  await expect(nb.panel).toContainText('double(3) == 7');
  expect(await nb.source(0)).toBe(cells[0].source);
}

test.describe('an objection', { tag: '@full' }, () => {
  test('lets the user edit the check, and pass', async ({ notebook }) => {
    const nb = await notebook('edit', cells);
    await dispute(nb, answer('Double it.', RIGHT));
    await nb.panel.getByRole('button', { name: 'Edit check' }).click();
    await expect(nb.cell(1).locator('.cm-content')).toBeFocused();
    await nb.edit(1, 'assert double(2) == 4\nassert double(3) == 6');
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
  });

  test('is answered in the next prompt where the check is right', async ({
    notebook
  }) => {
    const nb = await notebook('right', cells);
    await dispute(nb, answer('Special.', `${RIGHT} + (x == 3)`));
    await nb.panel
      .getByRole('button', { name: 'The check is right, go on' })
      .click();
    await expect(
      nb.panel.getByRole('heading', { name: /^Passed on attempt/ })
    ).toBeVisible({ timeout: 45_000 });
    const requests = await model.requests();
    expect(JSON.stringify(requests.at(-1)!.body)).toContain('is right');
  });

  test('leaves a check out for the session, and says so', async ({
    notebook
  }) => {
    const nb = await notebook('skip', cells);
    await dispute(nb);
    await nb.panel.getByRole('button', { name: 'Skip this check' }).click();
    await expect(
      nb.panel.getByRole('heading', { name: /^Passed on attempt/ })
    ).toBeVisible({ timeout: 45_000 });
    expect(await model.requests()).toHaveLength(2);
    await expect(nb.cell(0)).toContainText('1 skipped');
    expect(JSON.stringify(await nb.metadata(0))).toContain('double(3) == 7');
  });
});
