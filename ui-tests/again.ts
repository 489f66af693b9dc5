import type { Reporter, TestCase, TestResult } from '@playwright/test/reporter';
import * as path from 'path';

/** Says how to repeat each test that failed. */
export default class Again implements Reporter {
  onTestEnd({ location, retries }: TestCase, { status, retry }: TestResult) {
    const isBad = status === 'failed' || status === 'timedOut';
    if (isBad && retry === retries) {
      const file = path.relative(__dirname, location.file);
      this._failed.add(`jlpm playwright test ${file}:${location.line}`);
    }
  }

  onExit(): Promise<void> {
    if (this._failed.size > 0) {
      console.log(`Again, in ui-tests:\n${[...this._failed].join('\n')}`);
    }
    return Promise.resolve();
  }

  private readonly _failed = new Set<string>();
}
