/** The benchmarks find the modules of the product that they measure. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadProduct } from '../kernel/bundle.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

test('the product bundles and has what the benchmarks use', async () => {
  const product = await loadProduct(ROOT);
  for (const name of ['createExecutor', 'refine', 'estimatePrompt']) {
    assert.equal(typeof product[name], 'function', name);
  }
});
