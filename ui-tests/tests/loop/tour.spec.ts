/** docs/tour/tour.md as its reader follows it: the same model server, notebook and commands. */
import { spawn, type ChildProcess } from 'child_process';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import type { Page } from '@playwright/test';
import { TOUR_PORT } from '../../ports';
import { expect, RefineNotebook, test } from '../../refine';

const TOUR = path.resolve(__dirname, '../../../docs/tour');
const LAB = `http://localhost:${TOUR_PORT}`;
/** Positions of the notebook's cells. */
const cells = {
  slug: 1,
  data: 4,
  prompt: 5,
  predict: 6,
  trimmed: 9,
  total: 11
};

const started: ChildProcess[] = [];
let root = '';

function start(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {}
): ChildProcess {
  const child = spawn(command, args, {
    cwd: path.resolve(__dirname, '../..'),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore']
  });
  started.push(child);
  return child;
}

test.beforeAll(async () => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'refine-tour-'));
  fs.copyFileSync(path.join(TOUR, 'tour.ipynb'), path.join(root, 'tour.ipynb'));
  const bin = path.resolve(__dirname, '../../../.venv/bin');
  const model = start(path.join(bin, 'python'), [
    path.join(TOUR, 'model.py'),
    '--port',
    '0'
  ]);
  const url = await new Promise<string>(resolve =>
    model.stdout!.once('data', (line: Buffer) =>
      resolve(line.toString().trim().split('=')[1] ?? '')
    )
  );
  start(
    path.join(bin, 'jupyter'),
    [
      'lab',
      ...(process.getuid?.() === 0 ? ['--allow-root'] : []),
      '--config=jupyter_server_test_config.py',
      `--port=${TOUR_PORT}`,
      `--ServerApp.root_dir=${root}`
    ],
    { REFINE_TEST_KEEP_MODEL: '1', OPENAI_BASE_URL: url, OPENAI_API_KEY: '' }
  );
  await expect
    .poll(() =>
      fetch(`${LAB}/api`).then(
        reply => reply.ok,
        () => false
      )
    )
    .toBe(true);
});

test.afterAll(() => {
  for (const child of started) {
    child.kill();
  }
  fs.rmSync(root, { recursive: true, force: true });
});

async function open(page: Page): Promise<RefineNotebook> {
  await page.setViewportSize({ width: 1200, height: 700 });
  await page.goto(`${LAB}/lab/tree/tour.ipynb?reset`);
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  const nb = new RefineNotebook(page, 'tour.ipynb');
  await nb.waitForKernel();
  return nb;
}

async function generate(nb: RefineNotebook): Promise<void> {
  await nb.refine(cells.slug);
  await nb.expectPassed(2);
  await nb.expectText('3 of 3 and 1 held out');
  expect(await nb.source(cells.slug)).toContain('re.findall');
  await nb.toggle(1).click();
  await expect(nb.panel).toContainText("'c++-&-rust!'");
}

async function fixError(nb: RefineNotebook): Promise<void> {
  await nb.run(cells.total);
  await nb.cell(cells.total).getByRole('button', { name: 'Explain' }).click();
  await expect(nb.panel).toContainText('the orders have only the keys');
  await nb.cell(cells.total).getByRole('button', { name: 'Fix error' }).click();
  await nb.expectHeading('Runs; nothing checked');
  await nb.button('Write and run').click();
  await expect.poll(() => nb.evaluate('total')).toBe('20.0');
}

async function refineToTarget(nb: RefineNotebook): Promise<void> {
  await nb.run(cells.data);
  await expect.poll(() => nb.evaluate('len(y_test)')).toBe('10');
  await nb.run(cells.prompt);
  await nb.expectPassed(3);
  await nb.expectText(/RMSE 0\.2\d+ ↓ best/);
  expect(await nb.source(cells.predict)).toContain('value**2');
}

async function reviewAndRestore(nb: RefineNotebook): Promise<void> {
  await nb.select(cells.slug);
  await nb.button('Restore cell').click();
  await expect.poll(() => nb.source(cells.slug)).not.toContain('re.findall');
  await nb.cell(cells.slug).locator('.cm-content').click();
  await nb.page.keyboard.press('Control+z');
  await expect.poll(() => nb.source(cells.slug)).toContain('re.findall');
  await nb.page.keyboard.press('Control+Shift+z');
  await expect.poll(() => nb.source(cells.slug)).not.toContain('re.findall');
  await nb.command('settingeditor:open', { query: 'Refine' });
  const form = nb.page.locator('.jp-SettingsForm');
  await form.locator('select[id$=onPass]').selectOption('ask');
  // Saved.
  await expect(
    nb.page.getByRole('button', { name: 'Restore to Defaults' })
  ).toBeVisible();
  await nb.page.getByRole('tab', { name: 'tour.ipynb' }).click();
  await nb.refine(cells.slug);
  const change = nb.review(cells.slug);
  await change
    .getByRole('button', { name: 'Accept', exact: true })
    .first()
    .click();
  await change.getByRole('button', { name: 'Write and run' }).click();
  await expect.poll(() => nb.source(cells.slug)).toContain('re.findall');
}

async function refineAtBreakpoint(nb: RefineNotebook): Promise<void> {
  const galata = nb.page as unknown as Parameters<
    Parameters<typeof test>[2]
  >[0]['page'];
  await nb.page.getByRole('button', { name: 'Enable Debugger' }).click();
  await galata.notebook.waitForCellGutter(cells.trimmed);
  await galata.notebook.clickCellGutter(cells.trimmed, 4);
  await nb.run(cells.trimmed);
  await galata.debugger.waitForCallStack();
  await nb
    .cell(cells.trimmed)
    .locator('.jp-InputArea')
    .click({ button: 'right' });
  await nb.page.getByRole('menuitem', { name: 'Refine from Here' }).click();
  const change = nb.review(cells.trimmed);
  await change
    .getByRole('button', { name: 'Accept', exact: true })
    .first()
    .click();
  await change.getByRole('button', { name: 'Write only' }).click();
  await expect.poll(() => nb.source(cells.trimmed)).toContain('[1:-1]');
  await nb.page
    .getByRole('button', { name: /^Continue/ })
    .first()
    .click();
  await expect.poll(() => nb.evaluate('result')).toBe('35.0');
}

test('the whole tour works as it is written @full', async ({ page }) => {
  test.setTimeout(300_000);
  const steps = {
    'Generate a cell': generate,
    'Fix an error': fixError,
    'Refine to an RMSE target with hidden data': refineToTarget,
    'Review and restore': reviewAndRestore,
    'Refine at a breakpoint': refineAtBreakpoint
  };
  const text = fs.readFileSync(path.join(TOUR, 'tour.md'), 'utf8');
  const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, name]) => name);
  // The last one is the command line's: tests/cli/test_tour.py.
  expect(headings).toEqual([
    'Start',
    ...Object.keys(steps),
    'Run the same in CI'
  ]);
  const nb = await open(page as unknown as Page);
  for (const [name, step] of Object.entries(steps)) {
    await test.step(name, () => step(nb));
  }
});
