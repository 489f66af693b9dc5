/** The site of `make lite` in a browser: there is no Jupyter server, and the kernel is Pyodide. */
import * as fs from 'fs';
import * as http from 'http';
import type { AddressInfo } from 'net';
import * as path from 'path';
import { test } from '@playwright/test';
import { MODEL_PORT } from '../../ports';
import { answer, expect, model, RefineNotebook } from '../../refine';

const MAKE = path.resolve(__dirname, '../../../.make');
const SITE = path.join(MAKE, 'site');
const PYODIDE = path.join(MAKE, 'pyodide');
const KEY = 'sk-lite-canary-0123456789';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.ipynb': 'application/json',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml'
};

/** The built site as it is, but with Pyodide from a folder of this machine in place of its CDN. */
function fileOf(url: string): { readonly name: string; readonly body: Buffer } {
  const name = decodeURIComponent(new URL(url, 'http://site').pathname);
  const file = name.startsWith('/pyodide/')
    ? path.join(PYODIDE, name.slice('/pyodide/'.length))
    : path.join(SITE, name);
  const body = fs.readFileSync(file);
  if (name !== '/jupyter-lite.json') {
    return { name, body };
  }
  const config = JSON.parse(body.toString('utf8'));
  const data = config['jupyter-config-data'];
  // For `RefineNotebook`.
  data.exposeAppInBrowser = true;
  const plugins = (data.litePluginSettings ??= {});
  const kernel = '@jupyterlite/pyodide-kernel-extension:kernel';
  plugins[kernel] = {
    ...plugins[kernel],
    pyodideUrl: '/pyodide/pyodide.mjs',
    disablePyPIFallback: true
  };
  return { name, body: Buffer.from(JSON.stringify(config)) };
}

let server: http.Server;
let site = '';

test.skip(
  !fs.existsSync(SITE) || !fs.existsSync(PYODIDE),
  'needs the site and its kernel: make lite .make/pyodide'
);

test.beforeAll(async () => {
  server = http.createServer((request, response) => {
    try {
      const { name, body } = fileOf(request.url ?? '/');
      const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
      response.writeHead(200, { 'Content-Type': type }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

test.afterAll(() => {
  server?.close();
});

test('JupyterLite checks a cell, and refines it with a key of one’s own @full', async ({
  page
}) => {
  test.setTimeout(300_000);
  await model.load({
    key: KEY,
    models: ['tiny-coder'],
    answers: [
      answer('def fibonacci(n):\n    return n'),
      answer(
        'def fibonacci(n):\n    if n < 0:\n        raise ValueError(n)\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a'
      ),
      answer('def twice(x):\n    return 2 * x')
    ]
  });
  await page.setViewportSize({ width: 1400, height: 900 });
  await page.goto(`${site}/lab/index.html?path=fibonacci.ipynb`);
  await page.locator('.jp-Notebook .jp-Cell').first().waitFor();
  const nb = new RefineNotebook(page, 'fibonacci.ipynb');
  await nb.cell(1).locator('.cm-content').click();
  await page.getByRole('button', { name: 'Refine cell' }).first().waitFor();
  await nb.command('jupyterlab-refine:show-panel');
  await expect(nb.panel).toContainText('JupyterLite has no server');
  await expect(nb.panel).not.toContainText('Restart the Jupyter server');

  await test.step('check', async () => {
    await nb.button('Check cell').click();
    await nb.button('Run in the live kernel').click({ timeout: 120_000 });
    await expect(nb.panel).toContainText(/0 of \d/);
  });

  await test.step('refine', async () => {
    await nb.button('Enter a key').click();
    await nb.panel.getByLabel('Key').fill(KEY);
    await nb.panel
      .getByLabel(/Server URL/)
      .fill(`http://127.0.0.1:${MODEL_PORT}/v1`);
    await nb.button('Save').click();
    await expect(nb.panel).toContainText('tiny-coder');
    await nb.refine(1);
    await nb.button('Run in the live kernel').click();
    await nb.button('Write and run').click();
    await nb.expectPassed(2);
    expect(await nb.source(1)).toContain('a, b = b, a + b');
  });

  await test.step('%%refine', async () => {
    await nb.select(4);
    await nb.command('notebook:insert-cell-below');
    await nb.edit(5, '%%refine\nWrite twice(x).');
    await nb.run(5);
    await nb.button('Run in the live kernel').click();
    await nb.expectHeading(/^Not checked/);
    await expect(nb.cell(5)).not.toContainText('UsageError');
  });

  const asked = await model.requests();
  expect(asked).toHaveLength(3);
  expect(asked[0]!.headers['authorization']).toBe(`Bearer ${KEY}`);
  const stored = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }])
  );
  expect(stored).not.toContain(KEY);
});
