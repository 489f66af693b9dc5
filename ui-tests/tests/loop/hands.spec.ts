/** The user's hand: drafts, edited attempts, pause, step, stop and resume. */
import {
  answer,
  expect,
  model,
  test,
  testWith,
  slowAnswer
} from '../../refine';

test.describe('drafting', () => {
  const cells = [
    {
      id: 'target',
      source: '# double(n): twice n; double(2) is 4, double(0) is 0\n'
    },
    { id: 'later', source: 'print("later")' }
  ];

  const DRAFT = answer(
    [
      'assert double(2) == 4',
      'assert double(0) == 0',
      'assert double(3) == double(3)'
    ].join('\n')
  );

  test('drafts are shown, chosen, inserted, and undone in one step @full', async ({
    notebook,
    page
  }) => {
    const nb = await notebook(cells, [DRAFT]);
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await nb.button('Draft assertions').click();
    await expect(nb.question).toContainText(
      /drafted assertions? for cell 1, unverified/
    );
    const boxes = nb.question.getByRole('checkbox');
    await expect(boxes.first()).toBeChecked();
    await expect(boxes.first()).toBeFocused();
    const zero = nb.question.getByRole('checkbox', { name: /double\(0\)/ });
    await zero.focus();
    await page.keyboard.press('Space');
    await expect(zero).not.toBeChecked();
    // Nothing is in the notebook yet.
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(2);
    await nb.question.getByRole('button', { name: /^Approve/ }).click();
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(3);
    const inserted = await nb.source(1);
    expect(inserted).toContain('assert double(2) == 4');
    expect(inserted).not.toContain('double(3)');
    expect(inserted).not.toContain('double(0)');
    expect(await nb.metadata(1)).toMatchObject({
      tags: ['refine-assert'],
      jupyterlab_refine: { target: 'target', generated: true, approved: true }
    });
    await nb.expectText(/^Checks \d assertions? below$/);

    await nb.select(2);
    await page.keyboard.press('z');
    await expect(page.locator('.jp-Notebook .jp-Cell')).toHaveCount(2);
    await nb.expectText('Nothing checks this cell yet.');
  });
});

test.describe('editing', () => {
  const cells = [
    { id: 'target', source: '# double(n): twice n' },
    { id: 'check', source: 'assert double(2) == 4\nassert double(3) == 6' }
  ];

  testWith({ maxAttempts: 2 })(
    'an edited attempt runs without a call, and attempts go on from one @full',
    async ({ notebook, page }) => {
      const nb = await notebook(cells, [
        answer('def double(n):\n    return n * n # square'),
        answer('def double(n):\n    return None'),
        answer('def double(n):\n    return n + n', {
          match: 'The user chose this attempt to go on from.'
        })
      ]);
      await nb.refine(0);
      await nb.expectHeading(/Stopped after 2/);

      // The second, edited: it runs isolated, and no model is called.
      await nb.button('Give a hint').click();
      await expect(
        nb.panel.getByPlaceholder('Add a hint, or ask a question…')
      ).toBeFocused();
      await nb.more();
      await nb.attempt(2).getByRole('button', { name: 'edit' }).click();
      const editor = nb.attempt(2).getByRole('textbox', {
        name: 'Code of attempt 2'
      });
      await expect(editor).toBeFocused();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('double = 1');
      await nb.attempt(2).getByRole('button', { name: 'Close' }).click();
      await nb
        .attempt(2)
        .getByRole('button', { name: 'continue your edit' })
        .click();
      await expect(editor).toHaveText('double = 1');
      await nb
        .attempt(2)
        .getByRole('button', { name: 'Start again from attempt 2' })
        .click();
      await expect(editor).toContainText('return None');
      await editor.click();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('double = lambda n: 4');
      await nb
        .attempt(2)
        .getByRole('button', { name: 'Run as attempt' })
        .click();
      await expect(
        nb.attempt(3).getByText('Edited by you, from attempt 2.')
      ).toBeVisible();
      await expect(nb.attempt(3)).toContainText('1 of 2');
      expect(await model.requests()).toHaveLength(2);
      expect(await nb.source(0)).toBe(cells[0].source);

      // On from the first: its code is what the model refines.
      await nb.toggle(1).click();
      await nb.more();
      await nb
        .attempt(1)
        .getByRole('button', { name: 'continue from this' })
        .click();
      await nb.expectPassed(4);
      await expect.poll(() => nb.source(0)).toContain('return n + n');
      expect(await model.sent(2)).toContain('# square');

      // The header leads to the cell, and to other models.
      await nb.select(1);
      await nb.button('cell 1').click();
      await expect(nb.cell(0)).toHaveClass(/jp-mod-active/);
      await nb.button('Choose a model').click();
      const models = nb.panel.getByRole('combobox', { name: 'Model' });
      await models.selectOption('priced/scripted-model');
      await expect(models).toHaveValue('priced/scripted-model');
    }
  );
});

test.describe('steering', () => {
  const cells = [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer > 1\nassert answer == 42' }
  ];
  const filler = '# more\n'.repeat(400);

  test('a pause is named, left by keyboard, and a stopped session resumed @full', async ({
    notebook,
    page
  }) => {
    const nb = await notebook(cells, [
      slowAnswer('answer = 2', 30, 30),
      slowAnswer('answer = 3', 30, 30),
      answer('answer = 42')
    ]);
    await nb.refine(0);
    await nb.expectText('writing');
    await nb.button('Pause').click();
    const progress = nb.panel.getByRole('region', { name: 'Progress' });
    await expect(progress.getByText('Paused after attempt 1')).toBeVisible();
    await expect(nb.panel.getByText('judging')).toHaveCount(0);

    await nb.button('Continue').focus();
    await page.keyboard.press('Enter');
    await nb.expectText('writing');
    await nb.button('Pause').click();
    await expect(progress.getByText('Paused after attempt 2')).toBeVisible();
    expect(await model.requests()).toHaveLength(2);

    await nb.button('Stop').click();
    await nb.expectHeading(/^You stopped attempt 2/);
    await expect(nb.panel.locator('.jp-mod-primary')).toHaveText(['Resume']);
    await nb.button('Resume').focus();
    await page.keyboard.press('Enter');
    await nb.expectPassed(3);
  });

  test('an attempt that a reload interrupted says so, and the session resumes @full', async ({
    notebook,
    page
  }) => {
    const nb = await notebook(cells, [
      answer('answer = 2'),
      answer(`answer = 3\n${filler}`, { tokensPerSecond: 20 }),
      answer('answer = 42')
    ]);
    await nb.refine(0);
    await nb.expectText('answer = 3');
    await page.waitForTimeout(800);
    await page.reload();
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    await nb.waitForKernel();
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await expect(nb.button(/^Attempt 2.*Interrupted/)).toBeVisible();
    await expect(nb.panel.getByText('writing')).toHaveCount(0);
    await expect(nb.button('Use attempt 1')).toBeVisible();
    await nb.button('Resume').click();
    await nb.expectPassed(3);
    await expect(nb.button(/^Attempt 2.*Interrupted/)).toBeVisible();
  });
});
