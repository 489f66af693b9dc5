import { test } from '@playwright/test';
import { LAB_PORT, STOCK_PORT } from '../../ui-tests/ports';
import { record } from './record';

const ROUNDS = 60;

/** An execute as the notebook sends it, with the websocket fix and without, in turns. */
test('execute in a browser, with and without the websocket fix', async ({
  browser
}) => {
  test.setTimeout(180_000);
  const pages = await Promise.all(
    [LAB_PORT, STOCK_PORT].map(async port => {
      const page = await browser.newPage();
      await page.goto(`http://localhost:${port}/lab?reset`);
      await page.waitForFunction(() => 'jupyterapp' in window);
      await page.evaluate(async () => {
        const { serviceManager } = window.jupyterapp;
        await serviceManager.ready;
        const session = await serviceManager.sessions.startNew({
          path: `bench-${Math.random()}`,
          name: 'bench',
          type: 'notebook',
          kernel: { name: 'python3' }
        });
        await session.kernel!.info;
        (window as unknown as { __session: typeof session }).__session =
          session;
      });
      return page;
    })
  );
  const times: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, page] of pages.entries()) {
      times[i].push(
        await page.evaluate(async () => {
          const { __session } = window as unknown as {
            __session: {
              kernel: {
                requestExecute(content: object): { done: Promise<unknown> };
              };
              shutdown(): Promise<void>;
            };
          };
          const start = performance.now();
          await __session.kernel.requestExecute({
            code: 'pass',
            store_history: false
          }).done;
          return performance.now() - start;
        })
      );
    }
  }
  for (const page of pages) {
    await page.evaluate(() =>
      (
        window as unknown as { __session: { shutdown(): Promise<void> } }
      ).__session.shutdown()
    );
    await page.close();
  }
  const [fixed, stock] = times.map(
    list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
  );
  record('execute in a browser', {
    'with the fix, p50 ms': fixed,
    'without, p50 ms': stock,
    'without / with': stock / fixed
  });
});
