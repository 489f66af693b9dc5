/**
 * JupyterLab and Notebook 7 of `.venv-collaboration`, with jupyter-collaboration:
 * `jlpm playwright test --config collaboration.config.ts`, part of `make test-full`.
 */
import { defineConfig } from '@playwright/test';
import * as fs from 'fs';
import * as path from 'path';
import { COLLABORATION_PORT, MODEL_PORT, NOTEBOOK_ROOT } from './ports';
import base from './playwright.config';

const root = path.resolve(__dirname, '..');
const bin = path.join(root, '.venv-collaboration', 'bin');
const [modelServer] = [base.webServer ?? []].flat();

// As an installed package has it; the environment itself knows nothing of this checkout.
const share = path.join(NOTEBOOK_ROOT, '.share');
const link = path.join(share, 'labextensions', 'jupyterlab-refine');
fs.mkdirSync(path.dirname(link), { recursive: true });
fs.rmSync(link, { force: true });
fs.symlinkSync(path.join(root, 'jupyterlab_refine', 'labextension'), link);

export default defineConfig({
  ...base,
  testDir: './collaboration',
  workers: 1,
  grep: undefined,
  grepInvert: undefined,
  use: { ...base.use, baseURL: `http://localhost:${COLLABORATION_PORT}` },
  webServer: [
    ...(modelServer ? [modelServer] : []),
    {
      command: [
        path.join(bin, 'jupyter'),
        'lab',
        process.getuid?.() === 0 ? '--allow-root' : '',
        '--config jupyter_collaboration_test_config.py',
        `--port ${COLLABORATION_PORT}`
      ].join(' '),
      url: `http://localhost:${COLLABORATION_PORT}/lab`,
      env: {
        PATH: `${bin}:${process.env.PATH ?? ''}`,
        PYTHONPATH: root,
        JUPYTER_PATH: share,
        REFINE_TEST_MODEL: `http://127.0.0.1:${MODEL_PORT}/v1`,
        REFINE_TEST_ROOT: NOTEBOOK_ROOT
      },
      timeout: 120_000,
      stdout: 'ignore',
      stderr: 'ignore',
      reuseExistingServer: false
    }
  ]
});
