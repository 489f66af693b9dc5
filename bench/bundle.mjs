/**
 * Sizes of what a browser loads, gzipped, from a production build in a
 * temporary folder: at start (what JupyterLab fetches before anybody asks for
 * the panel) and on first use.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** Chunks that the plugin's start-up imports; every other one is behind an `import()`. */
const AT_START = /^(remoteEntry|lib_index_js|style_index_js|style)\b/;

/** @param {string} root The checkout, with a production build of the extension. */
export function bundleSizes(root) {
  const folder = join(root, 'jupyterlab_refine', 'labextension', 'static');
  const sizes = readdirSync(folder)
    .filter(name => name.endsWith('.js'))
    .map(name => ({
      name,
      gzip: gzipSync(readFileSync(join(folder, name)), { level: 9 }).length
    }))
    .sort((a, b) => b.gzip - a.gzip);
  const sum = list => list.reduce((total, { gzip }) => total + gzip, 0) / 1000;
  const start = sizes.filter(({ name }) => AT_START.test(name));
  return {
    sizes,
    figures: {
      'loaded at start, kB gzip': sum(start),
      'on first use, kB gzip': sum(sizes) - sum(start)
    }
  };
}
