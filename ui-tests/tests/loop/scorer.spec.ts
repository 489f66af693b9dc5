import { answer, expect, model, test, userSettings } from '../../refine';

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
    await expect(nb.panel.getByText('RMSE 12 → 5 EUR, target 2')).toBeVisible({
      timeout: 45_000
    });
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
      await nb.open();
      await nb.select(0);
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
