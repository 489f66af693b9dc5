import { test } from '@playwright/test';
import { gzipSync } from 'zlib';
import { LAB_PORT } from '../../ui-tests/ports';
import { record } from './record';

const ROUNDS = 5;
const OURS = /lab\/extensions\/jupyterlab-refine\/.*\.js/;

/** Start of JupyterLab with the extension and with its files blocked, in turns; and what it loads at start. */
test('activation', async ({ browser }) => {
  test.setTimeout(300_000);
  const times: { with: number[]; without: number[] } = {
    with: [],
    without: []
  };
  let bytes = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ['with', 'without'] as const) {
      const page = await browser.newPage();
      if (kind === 'without') {
        await page.route(OURS, route => route.abort());
      }
      const loaded: Promise<Buffer>[] = [];
      page.on('response', response => {
        if (OURS.test(response.url())) {
          loaded.push(response.body());
        }
      });
      await page.goto(`http://localhost:${LAB_PORT}/lab?reset`);
      await page.waitForFunction(() => 'jupyterapp' in window);
      const ms = await page.evaluate(async () => {
        await window.jupyterapp.restored;
        return performance.now();
      });
      // The first round warms the server's and the disk's caches.
      if (round > 0) {
        times[kind].push(ms);
      }
      if (kind === 'with') {
        bytes = (await Promise.all(loaded))
          .map(body => gzipSync(body).length)
          .reduce((sum, size) => sum + size, 0);
      }
      await page.close();
    }
  }
  const [with_, without] = [times.with, times.without].map(
    list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
  );
  record('start of JupyterLab', {
    'with the extension, p50 ms': with_,
    'without, p50 ms': without,
    'with / without': with_ / without,
    'of ours loaded at start, kB gzip': bytes / 1000
  });
});
