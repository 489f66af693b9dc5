/**
 * Bundles one part of the sources with esbuild: `node scripts/build.mjs cli|core|testing`.
 *
 * `cli`: the command line, one file for Node, `jupyterlab_refine/cli/refine.mjs`,
 * which the wheel carries, with the licences of the packages in it beside. The
 * kernel part (`scripts/pack-kernel.mjs`) must be packed before. With `--watch`
 * it builds again on every change.
 * `core`: `src/api.ts` for Node and browsers, `lib/core.mjs`, the npm subpath
 * `jupyterlab-refine/core`.
 * `testing`: the scripted model server that browser and Python tests start.
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

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  logLevel: 'warning'
};

const CLI = {
  ...COMMON,
  entryPoints: ['src/headless/cli/main.ts'],
  outfile: `${FOLDER}/refine.mjs`,
  metafile: true,
  platform: 'node',
  target: 'node20',
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
  }
};

const CORE = {
  ...COMMON,
  entryPoints: ['src/api.ts'],
  outfile: 'lib/core.mjs',
  // Its dependencies are the package's own.
  packages: 'external',
  platform: 'neutral',
  target: 'es2022',
  sourcemap: false
};

const TESTING = {
  ...COMMON,
  entryPoints: ['src/testing/scriptedServerMain.ts'],
  outfile: '.make/scripted-server.mjs',
  platform: 'node',
  target: 'node20'
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

async function buildCli() {
  if (process.argv.includes('--watch')) {
    await (await context(CLI)).watch();
    return;
  }
  const { metafile } = await build(CLI);
  const licenses = bundledPackages(metafile).map(folder => {
    const { name, version, license, text } = licenseOf(join(ROOT, folder));
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  writeFileSync(
    join(ROOT, FOLDER, 'THIRD-PARTY-LICENSES.txt'),
    licenses.join(`\n${'-'.repeat(78)}\n\n`)
  );
}

const PARTS = {
  cli: buildCli,
  core: () => build(CORE),
  testing: () => build(TESTING)
};
const [part] = process.argv.slice(2);
if (!Object.hasOwn(PARTS, part ?? '')) {
  throw new Error(`Name a part: ${Object.keys(PARTS).join(', ')}`);
}
await PARTS[part]();
