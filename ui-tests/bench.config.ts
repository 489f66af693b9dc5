import { defineConfig, type PlaywrightTestConfig } from '@playwright/test';
import config from './playwright.config';

const servers = config.webServer as Extract<
  PlaywrightTestConfig['webServer'],
  readonly unknown[]
>;

/** The first of the servers that the tests have. */
export default defineConfig({
  ...config,
  testDir: '../bench/browser',
  workers: 1,
  webServer: servers.slice(0, 2)
});
