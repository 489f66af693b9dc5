/** A notebook file for each test, and pages that open it in JupyterLab or Notebook 7. */
import * as fs from 'fs';
import * as path from 'path';
import { test as base, type Browser, type Page } from '@playwright/test';
import { NOTEBOOK_ROOT } from '../ports';
import type { ScriptedAnswer } from '../../src/testing/scriptedServer';
import {
  model,
  notebookContent,
  RefineNotebook,
  type CellInput
} from '../refine';

export type App = 'lab' | 'notebook';

export const test = base.extend<{
  /** Write a notebook in which the model gives these answers; the result opens it, each time for another person. */
  notebook: (
    cells: readonly CellInput[],
    answers: readonly ScriptedAnswer[]
  ) => Promise<(app: App) => Promise<RefineNotebook>>;
}>({
  notebook: async ({ browser, request, baseURL }, use, { title }) => {
    const pages: Page[] = [];
    const name = `${title.replace(/\W+/g, '-')}.ipynb`;
    await use(async (cells, answers) => {
      await model.load({ answers: [...answers] });
      fs.writeFileSync(
        path.join(NOTEBOOK_ROOT, name),
        JSON.stringify(notebookContent(cells))
      );
      return async app => {
        const page = await newPerson(browser, baseURL ?? '');
        pages.push(page);
        await page.goto(
          app === 'lab' ? `lab/tree/${name}?reset` : `notebooks/${name}`
        );
        const nb = new RefineNotebook(page, name);
        await nb.cell(0).waitFor({ timeout: 60_000 });
        await nb.waitForKernel();
        return nb;
      };
    });
    for (const page of pages) {
      await page.context().close();
    }
    const sessions: { id: string; path: string }[] = await (
      await request.get('api/sessions')
    ).json();
    for (const { id } of sessions) {
      await request.delete(`api/sessions/${id}`);
    }
  }
});

async function newPerson(browser: Browser, baseURL: string): Promise<Page> {
  const context = await browser.newContext({
    baseURL,
    viewport: { width: 1280, height: 860 }
  });
  return context.newPage();
}
