import { defineConfig, type PlaywrightTestConfig } from '@playwright/test';
import config from './playwright.config';
import { STOCK_PORT } from './ports';

const servers = config.webServer as Extract<
  PlaywrightTestConfig['webServer'],
  readonly unknown[]
>;
const [model, lab] = servers;
const noModel = servers.at(-1)!;

/** The same servers as the tests', and one without the websocket fix. */
export default defineConfig({
  ...config,
  testDir: '../bench/browser',
  workers: 1,
  webServer: [
    model,
    lab,
    {
      ...noModel,
      command: noModel.command.replace(
        /--port \d+/,
        `--port ${STOCK_PORT} --Refine.websocket_nodelay=False`
      ),
      url: `http://localhost:${STOCK_PORT}/lab`
    }
  ]
});
