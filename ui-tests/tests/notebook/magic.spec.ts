import { answer, expect, model, SMALL_R, test, slowAnswer } from '../../refine';

test('a %%refine cell creates and refines its target once', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'first', source: 'kept = 1' },
      { id: 'prompt', source: '%%refine\nanswer: the number 42' },
      { id: 'checks', source: 'assert answer == 42' }
    ],
    [answer('answer = 1'), answer('answer = 42')]
  );
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
  await nb.expectText(/is up to date\./);
  await page.waitForTimeout(1000);
  expect(await model.requests()).toHaveLength(2);
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(4);
});

test('a %%refine cell works beside a kernel that knows no magics @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'prompt', source: '%%refine\nx: the number 2' },
      { id: 'checks', source: 'stopifnot(x == 2)' }
    ],
    [{ text: '```r\nx <- 1\n```' }, { text: '```r\nx <- 2\n```' }],
    SMALL_R
  );
  await nb.run(0);
  await nb.button('Run in the live kernel').click();
  await nb.button('Write and run').click();
  await expect.poll(() => nb.source(1)).toBe('x <- 2');
  // The kernel would have reported an error in the prompt's text.
  await expect(nb.cell(0).locator('.jp-OutputArea-child')).toHaveCount(0);
  await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
});

test('the palette lists the commands under Refine', async ({
  notebook,
  page
}) => {
  const nb = await notebook([
    { id: 'target', source: '# answer: the number 42\n' }
  ]);
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

test('an unknown option is an error of the cell, and nothing starts @full', async ({
  notebook
}) => {
  const nb = await notebook(
    [
      {
        id: 'prompt',
        source: '%%refine --max-atempts 1\nanswer: the number 42'
      },
      { id: 'checks', source: 'assert answer == 42' },
      { id: 'line', source: '%refine' }
    ],
    [answer('answer = 42')]
  );
  await nb.run(0);
  await expect(
    nb
      .cell(0)
      .getByText(/UsageError: .*is refused: a notebook may set max-attempts/)
  ).toBeVisible();
  await nb.run(2);
  await expect(nb.cell(2).getByText('Refine: no session.')).toBeVisible();
  await nb.edit(0, '%%refine --max-attempts some\nanswer: the number 42');
  await nb.run(0);
  await expect(
    nb.cell(0).getByText(/UsageError: .*max-attempts/)
  ).toBeVisible();
  expect(await model.requests()).toHaveLength(0);
  await nb.edit(0, '%%refine --max-attempts 1\nanswer: the number 42');
  await nb.run(0);
  await nb.expectPassed(1);
  await nb.run(3);
  await expect(nb.cell(3).getByText(/passed on attempt 1/)).toBeVisible();
});

test('%refine stop ends the session @full', async ({ notebook }) => {
  const nb = await notebook(
    [
      { id: 'target', source: '# answer: the number 42\n' },
      { id: 'checks', source: 'assert answer == 42' },
      { id: 'line', source: '%refine stop' }
    ],
    [slowAnswer('answer = 1', 5, 900)]
  );
  await nb.refine(0);
  await model.expectRequests(1);
  await nb.run(2);
  await model.expectAborted(0);
  await nb.expectHeading(/You stopped/);
  await expect(nb.cell(2).getByText('Refine: stopped.')).toBeVisible();
});

test('Run All refines the first %%refine cell that has no result @full', async ({
  notebook
}) => {
  const nb = await notebook(
    [
      { id: 'first', source: '%%refine\none: the number 1' },
      { id: 'checks1', source: 'assert one == 1', tags: ['refine-assert'] },
      { id: 'second', source: '%%refine\ntwo: the number 2' },
      { id: 'checks2', source: 'assert two == 2', tags: ['refine-assert'] },
      { id: 'end', source: 'total = one + two' }
    ],
    [answer('one = 1'), answer('two = 2')]
  );
  // The check below fails until the session has passed, and aborts the rest.
  for (const [name, value] of [
    ['one', '1'],
    ['two', '2'],
    ['total', '3']
  ]) {
    await nb.command('notebook:run-all-cells');
    await expect
      .poll(() =>
        nb.evaluate(`globals().get('${name}')`).catch(() => 'not yet')
      )
      .toBe(value);
  }
  expect(await model.requests()).toHaveLength(2);
});
