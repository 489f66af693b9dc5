import * as galataConfig from '@jupyterlab/galata/lib/playwright-config';
import { defineConfig, type PlaywrightTestConfig } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';
import { LAB_PORT, NO_MODEL_PORT, NOTEBOOK_ROOT, WORKERS } from './ports';

const root = path.resolve(__dirname, '..');
const chromium = path.join(root, '.make', 'chromium');
const executablePath =
  process.env.REFINE_CHROMIUM ||
  (fs.existsSync(chromium) && fs.readFileSync(chromium, 'utf8').trim()) ||
  undefined;
const rootFlag = process.getuid?.() === 0 ? '--allow-root' : '';
const jupyter = path.join(root, '.venv', 'bin', 'jupyter');

fs.mkdirSync(NOTEBOOK_ROOT, { recursive: true });

// The module is CommonJS: `module.exports = {…}`.
const baseConfig = (
  'default' in galataConfig ? galataConfig.default : galataConfig
) as PlaywrightTestConfig;

const quiet = {
  stdout: 'ignore',
  stderr: 'ignore',
  reuseExistingServer: false
} as const;

function labServer(port: number, env: Record<string, string> = {}) {
  return {
    command: `${jupyter} lab ${rootFlag} --config jupyter_server_test_config.py --port ${port}`,
    url: `http://localhost:${port}/lab`,
    env,
    timeout: 120_000,
    ...quiet
  };
}

/** A real JupyterLab with real kernels; the model is the scripted server. */
export default defineConfig({
  ...baseConfig,
  testDir: './tests',
  // With this in their title are tests of what is tested without a browser as well. `make test-full` runs them.
  [process.env.REFINE_FULL ? 'grep' : 'grepInvert']: /@full/,
  outputDir: './test-results',
  workers: WORKERS.length,
  // As in Galata's own configuration: a test that passes only then is listed as flaky.
  retries: process.env.CI ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 60_000 },
  reporter: [['./again.ts'], ['dot'], ['html', { open: 'never' }]],
  use: {
    ...baseConfig.use,
    baseURL: `http://localhost:${LAB_PORT}`,
    video: 'off',
    // Recording costs a tenth of the time.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      executablePath,
      args: ['--no-sandbox', '--disable-background-networking']
    }
  },
  webServer: [
    ...WORKERS.flatMap(({ lab, model }) => [
      {
        command: `node ${path.join(root, '.make', 'scripted-server.mjs')} --port ${model}`,
        url: `http://127.0.0.1:${model}/v1/models`,
        ...quiet
      },
      labServer(lab, { REFINE_TEST_MODEL: `http://127.0.0.1:${model}/v1` })
    ]),
    labServer(NO_MODEL_PORT)
  ]
});
