import { answer, expect, model, SMALL_R, test } from '../../refine';

test('a %%refine cell creates and refines its target once', async ({
  notebook,
  page
}) => {
  await model.load({
    answers: [
      { text: answer('Guess.', 'answer = 1') },
      { text: answer('Count.', 'answer = 42') }
    ]
  });
  const nb = await notebook('magic', [
    { id: 'first', source: 'kept = 1' },
    { id: 'prompt', source: '%%refine\nanswer: the number 42' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  await nb.run(1);
  await nb.expectPassed(2);
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(4);
  expect(await nb.source(2)).toBe('answer = 42');
  expect(await nb.source(3)).toBe('assert answer == 42');
  expect(await nb.metadata(2)).toMatchObject({
    jupyterlab_refine: { promptCell: 'prompt' }
  });
  await expect.poll(() => nb.evaluate('answer')).toBe('42');
  expect(await model.requests()).toHaveLength(2);

  await nb.run(1);
  await expect(nb.panel.getByText(/is up to date\./)).toBeVisible();
  await page.waitForTimeout(1000);
  expect(await model.requests()).toHaveLength(2);
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(4);
});

test(
  'a %%refine cell works beside a kernel that knows no magics',
  { tag: '@full' },
  async ({ notebook, page }) => {
    const inR = (code: string) => answer('Guess.', code).replace('python', 'r');
    await model.load({
      answers: [{ text: inR('x <- 1') }, { text: inR('x <- 2') }]
    });
    const nb = await notebook(
      'magicR',
      [
        { id: 'prompt', source: '%%refine\nx: the number 2' },
        { id: 'checks', source: 'stopifnot(x == 2)' }
      ],
      SMALL_R
    );
    await nb.open();
    await nb.run(0);
    await nb.panel
      .getByRole('button', { name: 'Run in the live kernel' })
      .click();
    await nb.panel.getByRole('button', { name: 'Write and run' }).click();
    await expect.poll(() => nb.source(1)).toBe('x <- 2');
    // The kernel would have reported an error in the prompt's text.
    await expect(nb.cell(0).locator('.jp-OutputArea-child')).toHaveCount(0);
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
  }
);

test('the palette lists the commands under Refine', async ({
  notebook,
  page
}) => {
  const nb = await notebook('palette', [
    { id: 'target', source: '# answer: the number 42\n' }
  ]);
  await nb.open();
  await nb.select(0);
  await page.keyboard.press('Control+Shift+c');
  const palette = page.locator('#modal-command-palette');
  await palette.locator('input').fill('Refine');
  for (const label of [
    'Refine Cell',
    'Check Cell',
    'Stop Refining',
    'Pause Refining',
    'Continue Refining',
    'Give a Hint…',
    'Use Attempt',
    'Restore Refined Cell',
    'Assertion Cell',
    'Refine Panel'
  ]) {
    await expect(
      palette.locator('.lm-CommandPalette-itemLabel', { hasText: label })
    ).toHaveCount(1);
  }
  // Each command says what arguments it takes.
  const undescribed = await page.evaluate(async () => {
    const { commands } = window.jupyterapp;
    const own = commands
      .listCommands()
      .filter(id => id.startsWith('jupyterlab-refine:'));
    const described = await Promise.all(
      own.map(async id => (await commands.describedBy(id)).args !== null)
    );
    return own.filter((_, i) => !described[i]);
  });
  expect(undescribed).toEqual([]);
});
