/** Who decides: a scorer, a judge, static analysis, a model that objects, and the best one that is kept. */
import { answer, expect, model, test, testWith } from '../../refine';

const START = '# answer: the number 42\n';
const ANSWER = [
  { id: 'target', source: START },
  { id: 'checks', source: 'assert answer == 42' }
];

testWith({ targetScore: 2 })(
  'the metric of a scorer is shown everywhere, the hidden data nowhere',
  async ({ notebook }) => {
    const guess = (by: number) =>
      `def predict(x):\n    return [918_000 + 273 + ${by} for _ in x]`;
    const nb = await notebook(
      [
        {
          id: 'data',
          tags: ['refine-hide: y_test'],
          // Written so that no source holds the value.
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
      ],
      [
        answer(guess(12)),
        answer(guess(5)),
        answer(guess(1.5), { tokensPerSecond: 20 })
      ]
    );
    await nb.run(0);
    await expect.poll(() => nb.evaluate('len(y_test)')).toBe('3');
    await nb.refine(1);
    const shown = (text: string | RegExp) =>
      expect(nb.panel.getByText(text).first()).toBeVisible();
    // While the third is being written.
    await shown('RMSE 12 → 5 EUR, target 2');
    await expect(
      nb.panel.getByRole('img', { name: 'RMSE, lower is better: 12, 5' })
    ).toBeVisible();
    await shown('RMSE: as far as it is off');
    await nb.expectPassed(3);
    await shown('RMSE 1.5 EUR ↓ best');
    await shown('RMSE 12 EUR ↓');
    await shown(/1 of 1 · RMSE 1\.5 EUR/);

    const sent = await model.sent();
    expect(sent).toContain('RMSE');
    expect(sent).not.toContain('918273');
    expect(await nb.panel.textContent()).not.toContain('918273');
    expect(await nb.result(1)).toMatchObject({
      attempt: 3,
      stopReason: 'passed'
    });
  }
);

testWith({ evaluators: ['assertions', 'static'] })(
  'findings are listed by line for the attempt that they stopped @full',
  async ({ notebook }) => {
    const nb = await notebook(ANSWER, [
      answer('base = 40\nanswer = (base + 2'),
      answer('base = 40\nanswer = base + 2')
    ]);
    await nb.refine(0);
    await nb.expectPassed(2);
    await nb.toggle(1).click();
    const found = nb.panel.getByRole('list', { name: 'Static analysis' });
    await expect(found).toContainText('Line 2: ');
    await expect(found).toContainText('SyntaxError');
    await expect(nb.panel).toContainText(
      'Not run: static analysis found an error.'
    );
  }
);

testWith({ evaluators: ['assertions', 'judge'] })(
  'the verdict, score and actions of a judge are shown for each attempt @full',
  async ({ notebook }) => {
    const match = 'You judge one answer';
    const nb = await notebook(ANSWER, [
      answer('answer = 42'),
      {
        match,
        text: '{"evaluation": "NEEDS_IMPROVEMENT", "score": 4, "feedback": ["Say why."]}'
      },
      answer('answer = 42  # as asked'),
      { match, text: '{"evaluation": "PASS", "score": 9, "feedback": []}' }
    ]);
    await nb.refine(0);
    await nb.expectPassed(2);
    await nb.toggle(2).click();
    await expect(nb.panel).toContainText('judge: accepted, 9 of 10');
    await nb.toggle(1).click();
    await expect(nb.panel).toContainText('judge: needs improvement, 4 of 10');
    await expect(nb.panel).toContainText('Say why.');
  }
);

test.describe('an objection @full', () => {
  const RIGHT = 'def double(x):\n    return 2 * x';
  const cells = [
    { id: 'target', source: '# double(x): twice x\n' },
    { id: 'checks', source: 'assert double(2) == 4\nassert double(3) == 7' }
  ];
  /** One attempt that fails at the second check, then an objection to it. */
  const disputed = [
    answer(RIGHT),
    {
      text: '```dispute\ncheck: 2\nreason: Twice 3 is 6, as the task says.\n```\n'
    }
  ];

  test('lets the user edit the check, and pass', async ({ notebook }) => {
    const nb = await notebook(cells, [...disputed, answer(RIGHT)]);
    await nb.refine(0);
    await expect(nb.panel).toContainText('Twice 3 is 6, as the task says.');
    await expect(nb.panel).toContainText('double(3) == 7');
    expect(await nb.source(0)).toBe(cells[0].source);
    await nb.button('Edit check').click();
    await expect(nb.cell(1).locator('.cm-content')).toBeFocused();
    await nb.edit(1, 'assert double(2) == 4\nassert double(3) == 6');
    await nb.refine(0);
    await nb.expectPassed(1);
  });

  test('is answered in the next prompt where the check is right', async ({
    notebook
  }) => {
    const special = answer(`${RIGHT} + (x == 3)`);
    const nb = await notebook(cells, [...disputed, special]);
    await nb.refine(0);
    await nb.button('The check is right, go on').click();
    await nb.expectHeading(/^Passed on attempt/);
    expect(await model.sent(-1)).toContain('is right');
  });

  test('leaves a check out for the session, and says so', async ({
    notebook
  }) => {
    const nb = await notebook(cells, disputed);
    await nb.refine(0);
    await nb.button('Skip this check').click();
    await nb.expectHeading(/^Passed on attempt/);
    expect(await model.requests()).toHaveLength(2);
    await expect(nb.cell(0)).toContainText('1 skipped');
    expect(JSON.stringify(await nb.metadata(0))).toContain('double(3) == 7');
  });
});

test('the prompt stays; Restore keeps an edit one undo away @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(ANSWER, [answer('answer = 42')]);
  await nb.refine(0);
  await nb.expectPassed(1);
  const written = `${START}answer = 42`;
  await expect.poll(() => nb.source(0)).toBe(written);
  await nb.cell(0).locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('  # mine');
  await expect.poll(() => nb.source(0)).toBe(`${written}  # mine`);
  await nb.command('jupyterlab-refine:restore');
  await expect.poll(() => nb.source(0)).toBe(START);
  await expect(nb.question).toHaveCount(0);
  await expect(nb.panel).toContainText(
    'Undo in the cell brings your edit back.'
  );
  await expect(nb.panel.locator('.jp-mod-primary')).toHaveText([
    'Use attempt 1'
  ]);
  await nb.cell(0).locator('.cm-content').click();
  await page.keyboard.press('Control+z');
  await expect.poll(() => nb.source(0)).toBe(`${written}  # mine`);
});

testWith({ maxAttempts: 1 })(
  'the best is offered, reviewed, left out, and marked as not passed once written @full',
  async ({ notebook }) => {
    const checks = 'assert answer > 0\nassert answer == 42';
    const nb = await notebook(
      [ANSWER[0], { id: 'checks', source: checks }],
      [answer('answer = 41')]
    );
    await nb.refine(0);
    await nb.button('Use attempt 1').click();
    const review = nb.review(0);
    await expect(review).toContainText('1 part to review');
    await review.getByRole('button', { name: 'Reject' }).click();
    await expect(review).toContainText('All parts reviewed');
    await review.getByRole('button', { name: 'Leave unchanged' }).click();
    await expect(review).toHaveCount(0);
    await expect(nb.question).toHaveCount(0);
    expect(await nb.source(0)).toBe(START);

    // A review follows an edit of the cell by somebody else.
    await nb.button('Use attempt 1').click();
    await nb.edit(0, `${START}answer = 41`);
    await expect(review).toContainText('All parts reviewed');
    await nb.edit(0, START);
    await review.getByRole('button', { name: 'Accept' }).first().click();
    await review.getByRole('button', { name: 'Write only' }).click();
    await expect.poll(() => nb.source(0)).toBe(`${START}answer = 41`);
    expect(await nb.result(0)).toMatchObject({
      notPassed: true,
      stopReason: 'max-attempts',
      passed: 1,
      total: 2
    });
    await expect(nb.cell(0)).toContainText('not passed');
    // Not run: the name is not there.
    expect(await nb.evaluate("'answer' in globals()")).toBe('False');
  }
);
