import { test } from '@playwright/test';
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
  let files = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const kind of ['with', 'without'] as const) {
      const page = await browser.newPage();
      if (kind === 'without') {
        await page.route(OURS, route => route.abort());
      }
      let loaded = 0;
      page.on('response', response => {
        loaded += OURS.test(response.url()) ? 1 : 0;
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
        files = loaded;
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
    'files of ours loaded at start': files
  });
});
