/** Size of all that the extension brings, gzipped; what loads at start is measured in the browser. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

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
  const total = sizes.reduce((sum, { gzip }) => sum + gzip, 0);
  return { sizes, figures: { 'all of it, kB gzip': total / 1000 } };
}
