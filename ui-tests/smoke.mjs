/**
 * Opens JupyterLab and Notebook of one environment in a browser and refines
 * the demo notebook there with the recorded model. Run by scripts/smoke.sh, and by CI on macOS and Windows.
 */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { chromium } from 'playwright-core';

const { REFINE_SMOKE_JUPYTER: jupyter, REFINE_SMOKE_ROOT: root } = process.env;
const marker = '.make/chromium';
const executablePath =
  process.env.REFINE_CHROMIUM ||
  (fs.existsSync(marker) && fs.readFileSync(marker, 'utf8').trim()) ||
  undefined;

/** A new one for each server: on Windows, one that was ended may leave another process behind. */
const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

async function until(what, seconds, test) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    if (await test().catch(() => false)) {
      return;
    }
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  throw new Error(`smoke: ${what} did not happen within ${seconds} s`);
}

async function refineIn(browser, page, name) {
  const errors = [];
  // Notebook 7 raises one of its own without any extension; only ours count here.
  page.on('pageerror', ({ stack = '' }) => {
    if (stack.includes('/extensions/jupyterlab-refine/')) {
      errors.push(stack);
    }
  });
  // The target is the notebook's first code cell; its title is active at first.
  await page
    .locator('.jp-Notebook .jp-CodeCell .jp-InputPrompt')
    .first()
    .click({ timeout: 60_000 });
  await page
    .locator('.jp-NotebookPanel-toolbar, .jp-Toolbar')
    .getByRole('button', { name: /^Refine( cell|$)/ })
    .first()
    .click({ timeout: 30_000 });
  const panel = page.locator('#jupyterlab-refine-panel');
  // Where files or network are open to attempts: Windows, macOS without sandbox-exec.
  const allow = panel.getByRole('button', { name: 'Run anyway' });
  await page.addLocatorHandler(allow, () => allow.click());
  try {
    await panel
      .getByText(/Passed on attempt \d/)
      .first()
      .waitFor({ timeout: 120_000 });
  } catch (error) {
    const shown = await panel.innerText({ timeout: 1000 }).catch(String);
    throw new Error(`smoke: ${name} did not pass; its panel says:\n${shown}`, {
      cause: error
    });
  }
  console.log(`smoke: ${name} refined the demo cell`);
  if (errors.length > 0) {
    throw new Error(`smoke: ${name} raised in the page: ${errors.join('; ')}`);
  }
}

for (const app of ['lab', 'notebook']) {
  fs.copyFileSync('demo/fibonacci.ipynb', `${root}/${app}.ipynb`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const flags = process.getuid?.() === 0 ? ['--allow-root'] : [];
  const server = spawn(
    jupyter,
    [
      app,
      '--no-browser',
      `--port=${port}`,
      '--ServerApp.port_retries=0',
      '--IdentityProvider.token=',
      `--ServerApp.root_dir=${root}`,
      '--Refine.default_profile=demo',
      ...flags
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] }
  );
  let log = '';
  server.stderr.on('data', chunk => (log += chunk));
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking']
  });
  try {
    await until('the server', 60, async () => (await fetch(`${url}/api`)).ok);
    const page = await browser.newPage();
    const path =
      app === 'lab' ? `lab/tree/${app}.ipynb?reset` : `notebooks/${app}.ipynb`;
    await page.goto(`${url}/${path}`);
    await refineIn(browser, page, app);
  } catch (error) {
    console.error(log.slice(-4000));
    throw error;
  } finally {
    await browser.close();
    const gone = new Promise(resolve => server.once('exit', resolve));
    server.kill('SIGTERM');
    setTimeout(() => server.kill('SIGKILL'), 5000).unref();
    await gone;
  }
}
