/** axe over the states of the panel, of a review and of the other things that we add, in both themes. */
import * as fs from 'fs';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import {
  answer,
  expect,
  model,
  test,
  testWith,
  slowAnswer
} from '../../refine';

const SOURCE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** All that we put into the page, as far as it is there. */
const OURS = [
  '#jupyterlab-refine-panel',
  '.jp-Refine-badge',
  '.jp-Refine-errorActions',
  '.jp-Refine-review',
  '.jp-Refine-compare',
  '.jp-Refine-setting',
  '.jp-Refine-settingGroup',
  '.jp-Refine-statusItem'
];

async function setTheme(page: Page, theme: 'Light' | 'Dark'): Promise<void> {
  await page.evaluate(
    name =>
      window.jupyterapp.commands.execute('apputils:change-theme', {
        theme: `JupyterLab ${name}`
      }),
    theme
  );
  await expect(page.locator('body')).toHaveAttribute(
    'data-jp-theme-light',
    String(theme === 'Light')
  );
}

/** What axe finds, a line for each element. */
async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) {
    await page.evaluate(SOURCE);
  }
  const found = await page.evaluate(async selectors => {
    const { axe } = window as unknown as {
      axe: { run(context: object): Promise<AxeResults> };
    };
    // A panel that is hidden holds nothing to look at.
    const include = selectors.filter(selector =>
      [...document.querySelectorAll<HTMLElement>(selector)].some(
        node => node.offsetParent !== null
      )
    );
    const { passes, violations } = await axe.run({
      include: include.map(selector => [selector])
    });
    return {
      tried: passes.length,
      lines: violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) =>
          [id, html.slice(0, 160), failureSummary].join('\n')
        )
      )
    };
  }, OURS);
  expect(found.tried).toBeGreaterThan(0);
  return found.lines;
}

/** Nothing of ours breaks a rule of axe, in the light theme and in the dark one; light afterwards. */
async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['Dark', 'Light'] as const) {
    await setTheme(page, theme);
    expect(await violations(page), `${theme} theme`).toEqual([]);
  }
}

const START = 'def total():\n    return 1\n\ndef label():\n    return "a"';
const cells = [
  { id: 'target', source: START },
  { id: 'checks', source: 'assert total() == 4\nassert label() == "a"' },
  { id: 'other', source: '# other: the number 1\n' },
  { id: 'other-checks', source: 'assert other == 1' },
  { id: 'failing', source: 'row = {"a": 1}\nrow["b"]' }
];

testWith({ maxAttempts: 2, contextValues: 'samples' })(
  'a session is accessible, from its start to its comparison',
  async ({ notebook }) => {
    const nb = await notebook(cells, [
      answer(
        START.replace('return 1', 'wrong = [2]\n    raise ValueError(wrong)')
      ),
      slowAnswer(START.replace('1', '3'), 5, 40),
      { text: 'It **adds** `1`.\n\n- and so on', match: 'why' }
    ]);
    const { page } = nb;
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await nb.button(/What will be sent/).click();
    await nb.expectText('You write one cell');
    await nb.refine();
    await model.expectRequests(2);
    await expectAccessible(page);
    await nb.command('jupyterlab-refine:stop');
    await nb.expectHeading(/You stopped/);
    await nb.toggle(1).click();
    await nb.more();
    for (const name of ['prompt', 'traceback', 'locals', 'edit']) {
      await nb.button(name, true).last().click();
    }
    await expectAccessible(page);
    await nb.button('Close', true).click();
    const box = nb.panel.getByRole('textbox', { name: /hint/ });
    await box.fill('why?');
    await box.press('Alt+Enter');
    await nb.expectText('and so on');
    await expectAccessible(page);

    await nb.more();
    await nb.button('compare', true).last().click();
    await page.getByRole('tabpanel', { name: 'Compare cell 1' }).waitFor();
    await expectAccessible(page);
  }
);

test('a review, an explanation and the history are accessible @full', async ({
  notebook
}) => {
  const nb = await notebook(cells, [
    { text: 'There is no `b`.', match: 'Why does' },
    answer(START.replace('1', '4').replace('"a"', '"a"  # kept'), { times: 0 })
  ]);
  const { page } = nb;
  await nb.run(4);
  await nb.cell(4).getByRole('button', { name: 'Explain' }).click();
  await nb.expectText('There is no');
  await expectAccessible(page);
  await nb.refine(0);
  await nb.expectPassed(1);
  await expectAccessible(page);
  await nb.button('Restore cell').click();
  await expect.poll(() => nb.source(0)).toBe(START);
  await nb.button('Use attempt 1').click();
  const review = nb.review(0);
  await expect(review).toContainText('2 parts to review');
  await expectAccessible(page);
  await review.getByRole('button', { name: 'Leave unchanged' }).click();
  await nb.command('jupyterlab-refine:history');
  await nb.button(/^Cell 1: passed/).waitFor();
  await expectAccessible(page);
});

// As an earlier version has stored them: a null, a model and a setting that are gone.
testWith({
  patience: null,
  maxAttempts: 7,
  evaluatorModel: 'gone/other',
  strongerModel: 'gone/other'
})(
  'the settings form starts with what matters, folds the rest, and is accessible @full',
  async ({ page: galataPage }) => {
    const page = galataPage as unknown as Page;
    await page.goto('');
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('settingeditor:open', {
        query: 'Refine'
      })
    );
    const form = page.locator('.jp-SettingsForm');
    await expect(form.getByLabel('Generator model')).toBeVisible();
    await expect(form.locator('input[id$=maxAttempts]')).toHaveValue('7');
    const temperature = form.locator('input[id$=temperature]');
    await expect(temperature).toBeHidden();
    await expect(form.getByLabel('Evaluator model')).toBeHidden();
    await expectAccessible(page);

    // A model is chosen from those that the servers offer.
    await form
      .getByLabel('Generator model')
      .selectOption('scripted/scripted-model');
    const stored = () =>
      page.evaluate(async () => {
        const plugin = await window.jupyterapp.serviceManager.settings.fetch(
          'jupyterlab-refine:plugin'
        );
        return JSON.parse(plugin?.raw ?? '{}') as Record<string, unknown>;
      });
    await expect
      .poll(stored)
      .toMatchObject({ generatorModel: 'scripted/scripted-model' });

    await form.getByRole('button', { name: 'All settings' }).click();
    await expect(temperature).toBeVisible();
    // One that is gone stays chosen.
    await expect(form.getByLabel('Evaluator model')).toHaveValue('gone/other');
    await expectAccessible(page);
  }
);
