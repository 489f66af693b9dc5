import { answer, expect, model, test, type CellInput } from '../../refine';

const cells: readonly CellInput[] = [
  { id: 'free', source: 'kept = 41' },
  { id: 'target', source: '# answer: the number 42\n' },
  { id: 'checks', source: 'assert answer == 42' }
];
const right = answer('Add one.', 'answer = 42');

test(
  'stop while the model writes reaches the provider at once',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        {
          text: answer('x '.repeat(2000), 'answer = 42'),
          tokensPerSecond: 20
        }
      ]
    });
    const nb = await notebook('stop-writing', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect(nb.panel.getByText('writing').first()).toBeVisible();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    await nb.panel.getByRole('button', { name: 'Stop' }).click();
    await expect
      .poll(async () => (await model.requests())[0].state, { timeout: 1500 })
      .toBe('aborted');
    await expect(
      nb.panel.getByRole('heading', { name: /You stopped/ })
    ).toBeVisible();
    expect(await nb.source(1)).toBe(cells[1].source);
  }
);

test(
  'stop while it runs ends the attempt and no cell',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('Wait.', 'import time\ntime.sleep(25)\nanswer = 42') }
      ]
    });
    const nb = await notebook('stop-running', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect(
      nb.panel.getByRole('button', { name: /^Attempt 1.*running/ })
    ).toBeVisible();
    // A cell of the user's runs meanwhile, to its end.
    await nb.edit(0, 'import time; time.sleep(4); kept = 43');
    await nb.run(0);
    await nb.panel.getByRole('button', { name: 'Stop' }).click();
    await expect(
      nb.panel.getByRole('heading', { name: /You stopped/ })
    ).toBeVisible({
      timeout: 3000
    });
    await expect
      .poll(() => nb.evaluate('kept'), { timeout: 15_000 })
      .toBe('43');
  }
);

test(
  'an infinite loop ends at its limit; the next attempt passes',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('Loop.', 'while True:\n    pass') },
        { text: right }
      ]
    });
    const nb = await notebook('endless', [
      cells[0],
      { ...cells[1], source: '# answer: the number 42\n' },
      cells[2]
    ]);
    await nb.open();
    await nb.command('settingeditor:open-json').catch(() => undefined);
    await nb.page.evaluate(async () => {
      await window.jupyterapp.serviceManager.settings.save(
        'jupyterlab-refine:plugin',
        '{"attemptTimeout": 2}'
      );
    });
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await nb.expectPassed(2);
    const second = JSON.stringify((await model.requests())[1].body);
    expect(second).toMatch(/2 s/);
    expect(
      await nb.evaluate(
        "__import__('subprocess').run(['pgrep', '-P', str(__import__('os').getpid())], capture_output=True, text=True).stdout.split()"
      )
    ).not.toContain('defunct');
    await nb.page.evaluate(async () => {
      await window.jupyterapp.serviceManager.settings.save(
        'jupyterlab-refine:plugin',
        '{}'
      );
    });
  }
);

test(
  'a running cell of the user delays an attempt and no more',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({ answers: [{ text: right }] });
    const nb = await notebook('busy', [
      {
        id: 'slow',
        source: 'import time\ntime.sleep(4)\nraise ValueError("mine")'
      },
      cells[1],
      cells[2]
    ]);
    await nb.open();
    await nb.run(0);
    await nb.select(1);
    await nb.refine();
    await expect(nb.panel.getByText(/waiting for/).first()).toBeVisible();
    await nb.expectPassed(1);
    await expect(
      nb.cell(0).getByText('ValueError: mine').first()
    ).toBeVisible();
  }
);

test(
  'a cell of the user runs and fails during an attempt',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: answer('Slow.', 'import time\ntime.sleep(5)\nanswer = 42') }
      ]
    });
    const nb = await notebook('during', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect(
      nb.panel.getByRole('button', { name: /^Attempt 1.*running/ })
    ).toBeVisible();
    await nb.edit(0, 'kept = 7\nraise KeyError("mine")');
    await nb.run(0);
    await expect(
      nb
        .cell(0)
        .getByText(/KeyError/)
        .first()
    ).toBeVisible({
      timeout: 3000
    });
    await nb.expectPassed(1);
    expect(await nb.evaluate('kept')).toBe('7');
  }
);

test(
  'the target edited during the run is not overwritten',
  { tag: '@full' },
  async ({ notebook }) => {
    // Long enough for an edit, however slow the machine is.
    const slow = answer('Add one. '.repeat(40), 'answer = 42');
    await model.load({ answers: [{ text: slow, tokensPerSecond: 15 }] });
    const nb = await notebook('edited', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(1);
    await nb.edit(1, '# answer: my own edit\n');
    await expect(nb.panel.getByText(/changed|edited/i).first()).toBeVisible({
      timeout: 30_000
    });
    expect(await nb.source(1)).toBe('# answer: my own edit\n');
  }
);

test(
  'a reload during a run keeps the notebook, ends the request',
  { tag: '@full' },
  async ({ notebook, page }) => {
    await model.load({
      answers: [
        { text: answer('First.', 'answer = 1') },
        {
          text: answer('x '.repeat(2000), 'answer = 42'),
          tokensPerSecond: 20
        }
      ]
    });
    const nb = await notebook('reload', cells);
    await nb.open();
    await nb.select(1);
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(2);
    await page.waitForTimeout(500);
    await page.reload();
    await expect
      .poll(async () => (await model.requests())[1].state, { timeout: 5000 })
      .toBe('aborted');
    await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
    expect(await nb.source(1)).toBe(cells[1].source);
    await expect(
      nb.panel.getByText(/reload|interrupted/i).first()
    ).toBeVisible();
    await expect(nb.panel.getByText('0 of 1').first()).toBeVisible();
  }
);
