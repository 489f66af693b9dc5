/**
 * Bundles the command line into one file for Node,
 * `jupyterlab_refine/cli/refine.mjs`, which the wheel carries, with the licences
 * of the packages in it beside. The kernel part (`scripts/pack-kernel.mjs`)
 * must be packed before. With `--watch` it builds again on every change.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, context } from 'esbuild';
import { licenseOf } from './licenses.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = 'jupyterlab_refine/cli';

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}

const options = {
  absWorkingDir: ROOT,
  entryPoints: ['src/headless/cli/main.ts'],
  outfile: `${FOLDER}/refine.mjs`,
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // The ESM build of packages that have two: only what is used of it is taken.
  mainFields: ['module', 'main'],
  minify: true,
  keepNames: true,
  legalComments: 'none',
  define: {
    REFINE_VERSION: JSON.stringify(readJson(join(ROOT, 'package.json')).version)
  },
  // Optional accelerators of ws, which it does without.
  external: ['bufferutil', 'utf-8-validate'],
  // Packages in CommonJS call require() for Node's own modules.
  banner: {
    js: `#!/usr/bin/env node
import { createRequire as refineCreateRequire } from 'node:module';
const require = refineCreateRequire(import.meta.url);`
  },
  logLevel: 'warning'
};

/** Folders of the packages that the bundle took something from. */
function bundledPackages({ inputs }) {
  const folders = Object.keys(inputs).flatMap(path => {
    const [, folder] =
      /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
    return folder ? [folder] : [];
  });
  return [...new Set(folders)].sort();
}

if (process.argv.includes('--watch')) {
  await (await context(options)).watch();
} else {
  const { metafile } = await build(options);
  const licenses = bundledPackages(metafile).map(folder => {
    const { name, version, license, text } = licenseOf(join(ROOT, folder));
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  writeFileSync(
    join(ROOT, FOLDER, 'THIRD-PARTY-LICENSES.txt'),
    licenses.join(`\n${'-'.repeat(78)}\n\n`)
  );
}
