/** After an end: changes of the result, and questions that are answered in words. */
import { answer, expect, model, test } from '../../refine';

const FIRST = 'def mean(xs):\n    return sum(xs) / len(xs)';
const SECOND = 'def mean(xs):\n    return sum(xs) / len(xs) if xs else 0.0';

const cells = [
  { id: 'target', source: '# mean(xs): the mean of a list' },
  { id: 'check', source: 'assert mean([1, 2, 3]) == 2' },
  { id: 'held', source: 'assert mean([7, 9]) == 8', tags: ['refine-holdout'] }
];

test('a question is answered in words, a change refines the result', async ({
  notebook,
  page
}) => {
  const outside: string[] = [];
  page.on('request', request => {
    if (request.url().includes('example.org')) {
      outside.push(request.url());
    }
  });
  const nb = await notebook(cells, [
    answer('def mean(xs):\n    return None'),
    answer(FIRST),
    {
      match: 'why did attempt 1 fail?',
      text: 'Attempt 1 **returned `None`**.\n\n![x](https://example.org/x.png)\n\n<script>window.hacked = 1</script>'
    },
    answer(SECOND, { match: 'also handle empty input' })
  ]);
  await nb.refine(0);
  await nb.expectPassed(2);
  expect(await nb.source(0)).toContain(FIRST);

  const box = nb.panel.getByRole('textbox', { name: /Ask for a change/ });
  await box.fill('why did attempt 1 fail?');
  await box.press('Alt+Enter');
  const answers = nb.panel.getByRole('list', { name: 'Answers' });
  await expect(answers.locator('strong code')).toHaveText('None');
  await expect(answers.getByText(/tokens/)).toBeVisible();
  await expect(answers.locator('img, script')).toHaveCount(0);
  expect(outside).toEqual([]);
  expect(await nb.source(0)).toContain(FIRST);
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  const asked = await model.sent(2);
  expect(asked).toContain('return None');
  expect(asked).not.toContain('mean([7, 9])');

  await box.fill('also handle empty input');
  await box.press('Enter');
  await nb.expectText('Change: also handle empty input');
  await nb.expectPassed(1);
  await expect.poll(() => nb.source(0)).toContain(SECOND);
  const prompt = await model.sent(3);
  expect(prompt).toContain('also handle empty input');
  expect(prompt).toContain('attempt 1: 0 of 1');
  expect(prompt).toContain('why did attempt 1 fail?');
  expect(prompt).toContain('sum(xs) / len(xs)');
  expect(prompt).not.toContain('mean([7, 9])');

  await nb.button('Restore cell').click();
  await expect.poll(() => nb.source(0)).toContain(FIRST);
  expect(await nb.source(0)).not.toContain('else 0.0');
});

test('Explain streams text for an error, and can be stopped @full', async ({
  notebook,
  page
}) => {
  const nb = await notebook(
    [
      { id: 'row', source: 'row = {"a": 1}' },
      { id: 'target', source: 'total = row["b"]\nprint(total)' },
      { id: 'check', source: 'assert row["a"] == 2' },
      {
        id: 'held',
        source: 'assert row["a"] == 3',
        tags: ['refine-holdout']
      }
    ],
    [
      {
        match: 'Why does cell 2 raise KeyError?',
        text: '`row` has no key "b".'
      },
      {
        match: 'Why does cell 3 raise AssertionError?',
        text: 'Word after word after word. '.repeat(200),
        tokensPerSecond: 20
      }
    ]
  );
  await nb.run(0);
  for (const failing of [1, 2, 3]) {
    // An error aborts what is asked of the kernel before it is reported.
    await nb.run(failing);
    await nb.cell(failing).getByRole('button', { name: 'Explain' }).waitFor();
  }
  await nb.cell(1).getByRole('button', { name: 'Explain' }).click();
  const answers = nb.panel.getByRole('list', { name: 'Answers' });
  await expect(answers.getByText('has no key')).toBeVisible();
  const [first] = await model.requests();
  expect(JSON.stringify(first.body)).toContain("KeyError: 'b'");
  expect(await nb.source(1)).toBe('total = row["b"]\nprint(total)');

  // The error of a check, from the palette; stopped.
  await nb.select(2);
  await nb.palette('Explain Error');
  await expect(answers.getByText(/Word after word/)).toBeVisible();
  await answers.getByRole('button', { name: 'Stop' }).click();
  await expect(answers.getByText(/Stopped\./)).toBeVisible();

  // Nothing of a hold-out leaves.
  await nb.cell(3).getByRole('button', { name: 'Explain' }).click();
  await nb.expectText(/Cell 4 is held out/);
  expect(await model.requests()).toHaveLength(2);
});
