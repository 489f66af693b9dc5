/** The product's own TypeScript for a Node benchmark: bundled, loaded, nothing kept. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';

const ENTRY = `
  export { createExecutor } from './src/kernel';
  export { refine } from './src/core/loop';
  export { settingsSchema } from './src/core/settings';
  export { systemClock } from './src/core/clock';
  export { estimatePrompt } from './src/core/session/budget/budget';
  export { KernelAPI, KernelConnection, ServerConnection } from '@jupyterlab/services';
`;

/** @param {string} root The checkout. */
export async function loadProduct(root) {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    logLevel: 'warning'
  });
  // Under node_modules, where what the bundle leaves out is found.
  const folder = mkdtempSync(join(root, 'node_modules', '.refine-bench-'));
  try {
    const file = join(folder, 'product.cjs');
    writeFileSync(file, outputFiles[0].text);
    return createRequire(import.meta.url)(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
