import { answer, expect, model, test } from '../../ui-tests/refine';
import { record } from './record';

/** Tasks of the main thread over 50 ms while 200 tokens a second stream into the panel for 10 s. */
test('streaming', async ({ notebook, page }) => {
  const line = (i: number) => `value_${i} = ${i} + sum(range(${i}))`;
  const code = Array.from({ length: 260 }, (_, i) => line(i)).join('\n');
  await model.load({
    answers: [
      { text: answer('First, all of it.', code) },
      {
        text: answer('Again, with a change.', `${code}\nanswer = 42`),
        tokensPerSecond: 200
      }
    ]
  });
  const nb = await notebook('long', [
    { id: 'target', source: '# answer: the number 42\n' },
    { id: 'checks', source: 'assert answer == 42' }
  ]);
  await nb.open();
  await nb.select(0);
  await nb.refine();
  await expect(nb.panel.getByText('Attempt 2 of 5').first()).toBeVisible();
  // The second attempt is shown as a change to a first one of 260 lines.
  await expect(nb.panel.getByText('value_5 = 5').first()).toBeVisible();
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
  record('streaming', {
    'tasks over 50 ms': tasks.length,
    'longest, ms': Math.max(0, ...tasks)
  });
});
