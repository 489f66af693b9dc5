import {
  answer,
  expect,
  model,
  test,
  userSettings,
  type CellInput
} from '../../refine';

const half: readonly CellInput[] = [
  { id: 'half', source: '# half(x)\n' },
  {
    id: 'checks',
    source:
      'import math\nassert half(0) == 0\nassert math.isclose(half(3), 1.5)'
  }
];
const money: readonly CellInput[] = [
  { id: 'money', source: '# Money(n): compares by amount\n' },
  {
    id: 'checks',
    source: 'assert Money(1).n == 1\nassert Money(1) == Money(1)'
  }
];

test.use({ mockSettings: userSettings({ onPass: 'auto' }) });

test('a pass with all checks confirmed runs, and says no more', async ({
  notebook
}) => {
  await model.load({
    answers: [{ text: answer('Divide.', 'def half(x):\n    return x / 2') }]
  });
  const nb = await notebook('confirmed', half);
  await nb.open(0);
  await nb.refine();
  await nb.expectPassed(1);
  await expect.poll(() => nb.evaluate('half(3)')).toBe('1.5');
  await expect(nb.panel.getByText(/not confirmed/)).toHaveCount(0);
  await expect(nb.cell(0).getByText('refined · 2 of 2')).toHaveText(
    'refined · 2 of 2'
  );
});

for (const { what, cells, code, check, reason, made, tag } of [
  {
    what: 'that a class of the candidate decides',
    cells: money,
    code: 'class Money:\n    def __init__(self, n):\n        self.n = n\n    def __eq__(self, other):\n        return True',
    check: 'assert Money(1) == Money(1)',
    tag: [],
    reason: /Money\.__eq__/,
    made: 'Money'
  },
  {
    what: 'that fails without the candidate’s patch',
    cells: half,
    code: 'import math\nmath.isclose = lambda *a, **k: True\ndef half(x):\n    return x',
    check: 'assert math.isclose(half(3), 1.5)',
    tag: '@full',
    reason:
      /in the separate process, `math\.isclose\(half\(3\), 1\.5\)` is False/,
    made: 'half'
  }
]) {
  test(
    `a check ${what} is named before the cell runs`,
    { tag },
    async ({ notebook }) => {
      await model.load({ answers: [{ text: answer('Write it.', code) }] });
      const nb = await notebook('unconfirmed', cells);
      await nb.open(0);
      await nb.refine();

      const question = nb.panel.getByRole('alertdialog');
      await expect(question).toContainText('Passed. Write it to cell 1?', {
        timeout: 45_000
      });
      await expect(question).toContainText(check);
      await expect(question).toContainText(reason);
      expect(await nb.evaluate(`'${made}' in globals()`)).toBe('False');
      await question.getByRole('button', { name: 'Write only' }).click();

      await expect(
        nb.panel.getByRole('heading', {
          name: 'Passed on attempt 1; 1 of 2 checks not confirmed'
        })
      ).toBeVisible();
      const list = nb.panel.getByRole('list', {
        name: 'Unconfirmed checks'
      });
      await expect(list.getByRole('listitem')).toHaveCount(1);
      await expect(list).toContainText(check);
      await expect(list).toContainText(reason);
      expect(await nb.evaluate(`'${made}' in globals()`)).toBe('False');

      await expect(
        nb.cell(0).getByText('refined · 2 of 2 · 1 of 2 checks not confirmed')
      ).toHaveAttribute('title', /A confirmed check also passed/);
      const { jupyterlab_refine: refine } = (await nb.metadata(0)) as {
        jupyterlab_refine: { result: Record<string, unknown> };
      };
      expect(refine.result).toMatchObject({ confirmed: { n: 1, of: 2 } });
    }
  );
}

for (const { when, tag, cells, condition } of [
  {
    when: 'a visible check',
    tag: [],
    cells: half,
    // Only the attempt's own process calls it from a check.
    condition: 'not sys._getframe(1).f_code.co_filename.startswith("<check")'
  },
  {
    when: 'a hold-out',
    tag: '@full',
    cells: [
      ...half,
      { id: 'held', tags: ['refine-holdout'], source: 'assert half(40) == 20' }
    ],
    condition: 'x == 40'
  }
]) {
  test(
    `Stop ends an attempt at once while ${when} is judged`,
    { tag },
    async ({ notebook }) => {
      const code = `import sys, time\ndef half(x):\n    if ${condition}:\n        time.sleep(600)\n    return x / 2`;
      await model.load({
        answers: [{ text: answer('Wait.', code), times: 0 }]
      });
      const nb = await notebook('stopped', cells);
      await nb.open(0);
      await nb.refine();
      // All visible checks have held by then.
      await expect.poll(() => model.requests()).toHaveLength(1);
      await nb.page.waitForTimeout(4000);
      await nb.panel.getByRole('button', { name: 'Stop', exact: true }).click();
      await expect(
        nb.panel.getByRole('button', { name: 'Stop', exact: true })
      ).toBeHidden({ timeout: 3000 });
      await expect(nb.panel.getByText(/Passed/)).toHaveCount(0);
      expect(await nb.source(0)).toBe(half[0].source);
    }
  );
}
