/** Who decides: a scorer, a judge, static analysis, a model that objects, and the best one that is kept. */
import {
  answer,
  expect,
  model,
  type RefineNotebook,
  test,
  userSettings
} from '../../refine';

test.describe('scorer', () => {
  /** A value of the hidden data; written so that no source holds it. */
  const SECRET = '918273';

  const cells = [
    {
      id: 'data',
      tags: ['refine-hide: y_test'],
      source: 'x_test = [1, 2, 3]\ny_test = [int("918" + "273")] * 3'
    },
    { id: 'target', source: '# predict(x): one number for each x\n' },
    { id: 'checks', source: 'assert len(predict(x_test)) == 3' },
    {
      id: 'measure',
      tags: ['refine-scorer'],
      source: [
        'goal = "min"',
        'name = "RMSE"',
        'unit = "EUR"',
        'def score(ns):',
        '    off = [a - b for a, b in zip(ns["predict"](x_test), y_test)]',
        '    return (sum(d * d for d in off) / 3) ** 0.5, "as far as it is off"'
      ].join('\n')
    }
  ];

  const guess = (by: number) =>
    answer(
      `Guess ${by} more.`,
      `def predict(x):\n    return [918_000 + 273 + ${by} for _ in x]`
    );

  test.describe('a scorer with a target', () => {
    test.use({ mockSettings: userSettings({ targetScore: 2 }) });

    test('its metric is shown everywhere, the hidden data nowhere', async ({
      notebook
    }) => {
      await model.load({
        answers: [
          { text: guess(12) },
          { text: guess(5) },
          { text: guess(1.5), tokensPerSecond: 20 }
        ]
      });
      const nb = await notebook('scorer', cells);
      await nb.open();
      await nb.run(0);
      await expect.poll(() => nb.evaluate('len(y_test)')).toBe('3');
      await nb.select(1);
      await nb.refine();
      // While the third is being written.
      await expect(nb.panel.getByText('RMSE 12 → 5 EUR, target 2')).toBeVisible(
        {
          timeout: 45_000
        }
      );
      await expect(
        nb.panel.getByRole('img', { name: 'RMSE, lower is better: 12, 5' })
      ).toBeVisible();
      await expect(
        nb.panel.getByText('RMSE: as far as it is off').first()
      ).toBeVisible();
      await nb.expectPassed(3);
      await expect(nb.panel.getByText('RMSE 1.5 EUR ↓ best')).toBeVisible();
      await expect(nb.panel.getByText('RMSE 12 EUR ↓')).toBeVisible();
      await expect(nb.panel.getByText(/1 of 1 · RMSE 1\.5 EUR/)).toBeVisible();

      const sent = JSON.stringify((await model.requests()).map(r => r.body));
      expect(sent).toContain('RMSE');
      expect(sent).not.toContain(SECRET);
      expect(await nb.panel.textContent()).not.toContain(SECRET);
      const { jupyterlab_refine: own } = (await nb.metadata(1)) as {
        jupyterlab_refine: { result: Record<string, unknown> };
      };
      expect(own.result).toMatchObject({ attempt: 3, stopReason: 'passed' });
    });
  });

  test.describe('findings', () => {
    test.use({
      mockSettings: userSettings({
        evaluators: ['assertions', 'static']
      })
    });

    test(
      'are listed by line for the attempt that they stopped',
      { tag: '@full' },
      async ({ notebook }) => {
        await model.load({
          answers: [
            { text: answer('Look it up.', 'base = 40\nanswer = bsae + 2') },
            { text: answer('Spell it right.', 'base = 40\nanswer = base + 2') }
          ]
        });
        const nb = await notebook('findings', [
          { id: 'target', source: '# answer: the number 42\n' },
          { id: 'checks', source: 'assert answer == 42' }
        ]);
        await nb.open(0);
        await nb.refine();
        await nb.expectPassed(2);
        await nb.panel.getByRole('button', { name: /^Attempt 1/ }).click();
        const found = nb.panel.getByRole('list', { name: 'Static analysis' });
        await expect(found).toContainText('Line 2: ');
        await expect(found).toContainText('bsae');
        await expect(
          nb.panel.getByText('Not run: static analysis found an error.')
        ).toBeVisible();
      }
    );
  });
});

test.describe('judge', () => {
  const cells = [
    { id: 'target', source: '# double(n): twice a number\n' },
    { id: 'checks', source: 'assert double(2) == 4' }
  ];

  test.describe('a judge', () => {
    test.use({
      mockSettings: userSettings({ evaluators: ['assertions', 'judge'] })
    });

    test(
      'its verdict, score and actions are shown for each attempt',
      { tag: '@full' },
      async ({ notebook }) => {
        const judge = 'You judge one answer';
        const more =
          '{"evaluation": "NEEDS_IMPROVEMENT", "score": 4, "feedback": ["Say in a docstring what n may be."]}';
        await model.load({
          answers: [
            { text: answer('First.', 'def double(n):\n    return 2 * n') },
            { match: judge, text: more },
            {
              text: answer(
                'Second.',
                'def double(n):\n    """Twice a number."""\n    return n + n'
              )
            },
            {
              match: judge,
              text: '{"evaluation": "PASS", "score": 9, "feedback": []}'
            }
          ]
        });
        const nb = await notebook('judge', cells);
        await nb.open(0);
        await nb.refine();
        await expect(
          nb.panel.getByText('Passed on attempt 2').first()
        ).toBeVisible({ timeout: 60_000 });
        await nb.panel.getByRole('button', { name: /Attempt 2/ }).click();
        await expect(
          nb.panel.getByText('judge: accepted, 9 of 10')
        ).toBeVisible();
        await nb.panel.getByRole('button', { name: /Attempt 1/ }).click();
        await expect(
          nb.panel.getByText('judge: needs improvement, 4 of 10')
        ).toBeVisible();
        await expect(
          nb.panel.getByText('Say in a docstring what n may be.')
        ).toBeVisible();
      }
    );
  });
});

test.describe('disputing', () => {
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
    await nb.open(0);
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
});

test.describe('keeping', () => {
  const START = '# answer: the number 42\n';
  const cells = [
    { id: 'target', source: START },
    { id: 'checks', source: 'assert answer == 42' }
  ];

  test(
    'the prompt stays; Restore keeps an edit one undo away',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({
        answers: [{ text: answer('Say it.', 'answer = 42') }]
      });
      const nb = await notebook('restore', cells);
      await nb.open(0);
      await nb.refine();
      await nb.expectPassed(1);
      const written = `${START}answer = 42`;
      await expect.poll(() => nb.source(0)).toBe(written);
      await expect.poll(() => nb.evaluate('answer')).toBe('42');

      await nb.cell(0).locator('.cm-content').click();
      await page.keyboard.press('Control+End');
      await page.keyboard.type('  # mine');
      await expect.poll(() => nb.source(0)).toBe(`${written}  # mine`);
      await nb.command('jupyterlab-refine:restore');
      await expect.poll(() => nb.source(0)).toBe(START);
      await expect(nb.panel.getByRole('alertdialog')).toHaveCount(0);
      await expect(
        nb.panel.getByText('Undo in the cell brings your edit back.')
      ).toBeVisible();
      await expect(nb.panel.locator('.jp-mod-primary')).toHaveText([
        'Use attempt 1'
      ]);
      await nb.cell(0).locator('.cm-content').click();
      await page.keyboard.press('Control+z');
      await expect.poll(() => nb.source(0)).toBe(`${written}  # mine`);
    }
  );

  test(
    'an edit that was kept is reported, not called unchanged',
    { tag: '@full' },
    async ({ notebook, page }) => {
      await model.load({
        answers: [
          {
            text: answer('Say it. '.repeat(40), 'answer = 42'),
            tokensPerSecond: 15
          }
        ]
      });
      const nb = await notebook('kept', cells);
      await nb.open(0);
      await nb.refine();
      await expect.poll(async () => (await model.requests()).length).toBe(1);
      await nb.edit(0, '# answer: my own edit\n');
      const question = nb.panel.getByRole('alertdialog');
      await expect(question).toContainText('Cell 1 was edited', {
        timeout: 60_000
      });
      await expect(nb.panel.locator('.jp-mod-primary')).toHaveText([
        'Leave unchanged'
      ]);
      await expect(
        question.getByRole('button', { name: 'Leave unchanged' })
      ).toBeFocused();
      await page.keyboard.press('Enter');
      await expect(nb.panel.locator('.jp-Refine-banner')).toContainText(
        'Cell 1 keeps the edit. Attempt 1 was not written.'
      );
      await expect(nb.panel.getByText('The cell is unchanged.')).toHaveCount(0);
      expect(await nb.source(0)).toBe('# answer: my own edit\n');
    }
  );

  test.describe('keepBest ask', { tag: '@full' }, () => {
    test.use({ mockSettings: userSettings({ maxAttempts: 1 }) });

    test('offers the best; once written it is marked as not passed', async ({
      notebook
    }) => {
      const two = [
        cells[0],
        { id: 'checks', source: 'assert answer > 0\nassert answer == 42' }
      ];
      await model.load({
        answers: [{ text: answer('Say it.', 'answer = 41') }]
      });
      const nb = await notebook('best', two);
      await nb.open(0);
      await nb.refine();
      const use = nb.panel.getByRole('button', { name: 'Use attempt 1' });
      await expect(use).toBeVisible({ timeout: 45_000 });
      expect(await nb.source(0)).toBe(START);
      await use.click();
      const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
      await review.getByRole('button', { name: 'Accept' }).first().click();
      await review.getByRole('button', { name: 'Write only' }).click();
      await expect.poll(() => nb.source(0)).toBe(`${START}answer = 41`);
      expect(await nb.metadata(0)).toMatchObject({
        jupyterlab_refine: {
          result: {
            notPassed: true,
            stopReason: 'max-attempts',
            passed: 1,
            total: 2
          }
        }
      });
      await expect(nb.cell(0)).toContainText('not passed');
      // Not run: the name is not there.
      expect(await nb.evaluate("'answer' in globals()")).toBe('False');
    });
  });
});
