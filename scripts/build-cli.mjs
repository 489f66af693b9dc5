/**
 * Bundles the command line into one file for Node:
 * `jupyterlab_refine/cli/refine.mjs`, which the wheel carries. The kernel part
 * (`scripts/pack-kernel.mjs`) must be packed before. With `--watch` it builds
 * again on every change.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));

const options = {
  absWorkingDir: root,
  entryPoints: ['src/headless/main.ts'],
  outfile: 'jupyterlab_refine/cli/refine.mjs',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Without this the CommonJS build of packages that have both is taken, which cannot be shaken.
  mainFields: ['module', 'main'],
  minify: true,
  keepNames: true,
  legalComments: 'linked',
  define: { REFINE_VERSION: JSON.stringify(version) },
  // Optional accelerators of ws, which it does without.
  external: ['bufferutil', 'utf-8-validate'],
  banner: {
    js: `#!/usr/bin/env node
import { createRequire as refineCreateRequire } from 'node:module';
const require = refineCreateRequire(import.meta.url);`
  },
  logLevel: 'warning'
};

if (process.argv.includes('--watch')) {
  await (await context(options)).watch();
} else {
  await build(options);
}
