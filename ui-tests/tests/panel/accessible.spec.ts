/** axe over the states of the panel, of a review and of the other things that we add, in both themes. */
import * as fs from 'fs';
import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { answer, expect, model, test, userSettings } from '../../refine';

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

test.describe('two attempts', () => {
  test.use({
    mockSettings: userSettings({ maxAttempts: 2, contextValues: 'samples' })
  });

  test('a session is accessible, from its start to its comparison', async ({
    notebook
  }) => {
    await model.load({
      answers: [
        {
          text: answer(
            'Raise.',
            START.replace(
              'return 1',
              'wrong = [2]\n    raise ValueError(wrong)'
            )
          )
        },
        {
          text: answer('Three. '.repeat(40), START.replace('1', '3')),
          tokensPerSecond: 5
        },
        { text: 'It **adds** `1`.\n\n- and so on', match: 'why' }
      ]
    });
    const nb = await notebook('accessible', cells);
    await nb.open();
    const { page, panel } = nb;
    await nb.select(0);
    await nb.command('jupyterlab-refine:show-panel');
    await panel.getByRole('button', { name: /What will be sent/ }).click();
    await expect(panel.getByText('You write one cell')).toBeVisible();
    await nb.refine();
    await expect.poll(async () => (await model.requests()).length).toBe(2);
    await expectAccessible(page);
    await nb.command('jupyterlab-refine:stop');
    await expect(
      panel.getByRole('heading', { name: /You stopped/ })
    ).toBeVisible();
    await panel.getByRole('button', { name: /^Attempt 1 / }).click();
    await nb.more();
    for (const name of ['prompt', 'traceback', 'locals', 'edit']) {
      await panel.getByRole('button', { name, exact: true }).last().click();
    }
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Close', exact: true }).click();
    const box = panel.getByRole('textbox', { name: /hint/ });
    await box.fill('why?');
    await box.press('Alt+Enter');
    await expect(panel.getByText('and so on')).toBeVisible();
    await expectAccessible(page);

    await nb.more();
    await panel
      .getByRole('button', { name: 'compare', exact: true })
      .last()
      .click();
    await page.getByRole('tabpanel', { name: 'Compare cell 1' }).waitFor();
    await expectAccessible(page);
  });
});

test(
  'a review, an explanation and the history are accessible',
  { tag: '@full' },
  async ({ notebook }) => {
    await model.load({
      answers: [
        { text: 'There is no `b`.', match: 'Why does' },
        {
          text: answer(
            'Four.',
            START.replace('1', '4').replace('"a"', '"a"  # kept')
          ),
          times: 0
        }
      ]
    });
    const nb = await notebook('accessible-review', cells);
    await nb.open();
    const { page, panel } = nb;
    await nb.run(4);
    await nb.cell(4).getByRole('button', { name: 'Explain' }).click();
    await expect(panel.getByText('There is no')).toBeVisible();
    await expectAccessible(page);
    await nb.select(0);
    await nb.refine();
    await nb.expectPassed(1);
    await expectAccessible(page);
    await panel.getByRole('button', { name: 'Restore cell' }).click();
    await expect.poll(() => nb.source(0)).toBe(START);
    await panel.getByRole('button', { name: 'Use attempt 1' }).click();
    const review = nb.cell(0).getByRole('group', { name: 'Proposed change' });
    await expect(review).toContainText('2 parts to review');
    await expectAccessible(page);
    await review.getByRole('button', { name: 'Leave unchanged' }).click();
    await nb.command('jupyterlab-refine:history');
    await panel.getByRole('button', { name: /^Cell 1: passed/ }).waitFor();
    await expectAccessible(page);
  }
);

test(
  'the entries of the settings form are accessible',
  { tag: '@full' },
  async ({ page: galataPage }) => {
    const page = galataPage as unknown as Page;
    await page.goto('');
    await page.evaluate(() =>
      window.jupyterapp.commands.execute('settingeditor:open', {
        query: 'Refine'
      })
    );
    await expect(page.getByLabel('Generator model')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'All settings' }).click();
    await expect(page.getByLabel('Evaluator model')).toBeVisible();
    await expectAccessible(page);
  }
);
