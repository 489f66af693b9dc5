import { answer, expect, model, test } from '../refine';

test('no task over 50 ms in 10 s of 200 tokens a second', async ({
  notebook,
  page
}) => {
  test.slow();
  // 2,000 tokens of four characters: a long function, line by line.
  const code = Array.from(
    { length: 200 },
    (_, i) => `value_${i} = ${i} + sum(range(${i}))`
  ).join('\n');
  await model.load({
    answers: [
      { text: answer('A long one.', code), tokensPerSecond: 200 },
      { text: answer('Again.', `${code}\nanswer = 42`), tokensPerSecond: 200 }
    ]
  });
  const nb = await notebook('long', [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  await nb.select(0);
  // The panel and the session's code are loaded before the measurement.
  await nb.command('jupyterlab-refine:check-cell');
  await expect(nb.panel.getByText('0 of 1').first()).toBeVisible();
  await nb.refine();
  await expect(nb.panel.getByText('writing').first()).toBeVisible();
  await page.evaluate(() => {
    const tasks: number[] = [];
    new PerformanceObserver(list =>
      tasks.push(...list.getEntries().map(entry => entry.duration))
    ).observe({ type: 'longtask' });
    (window as unknown as { __tasks: number[] }).__tasks = tasks;
  });
  await page.waitForTimeout(10_000);
  const tasks = await page.evaluate(
    () => (window as unknown as { __tasks: number[] }).__tasks
  );
  test.info().annotations.push({
    type: 'long tasks (ms)',
    description: JSON.stringify(tasks)
  });
  expect(tasks).toEqual([]);
});
