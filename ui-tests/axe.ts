/** axe-core over what is ours in a page of JupyterLab. */
import * as fs from 'fs';
import type { AxeResults } from 'axe-core';
import type { Page } from '@playwright/test';
import { expect } from './refine';

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
export async function expectAccessible(page: Page): Promise<void> {
  for (const theme of ['Dark', 'Light'] as const) {
    await setTheme(page, theme);
    expect(await violations(page), `${theme} theme`).toEqual([]);
  }
}
