/**
 * Takes the picture and the animation of the README from the product with a served model:
 * `make screenshot MODEL_URL=http://127.0.0.1:11434/v1 MODEL=name`.
 */
import { defineConfig } from '@playwright/test';
import base from './playwright.config';

const [, lab] = [base.webServer ?? []].flat();
const { MODEL_URL = '', MODEL = '' } = process.env;

export default defineConfig({
  ...base,
  testDir: './readme',
  workers: 1,
  grep: undefined,
  grepInvert: undefined,
  timeout: 600_000,
  use: { ...base.use, trace: 'off' },
  webServer: [
    {
      ...lab!,
      env: {
        REFINE_TEST_KEEP_MODEL: '1',
        OPENAI_BASE_URL: MODEL_URL,
        OPENAI_MODEL: MODEL,
        OPENAI_API_KEY: process.env.OPENAI_API_KEY ?? ''
      }
    }
  ]
});
