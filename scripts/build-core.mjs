/** Bundles `src/api.ts` for Node and browsers into `lib/core.mjs`, the npm subpath `jupyterlab-refine/core`. */
import { build } from 'esbuild';

await build({
  entryPoints: ['src/api.ts'],
  outfile: 'lib/core.mjs',
  bundle: true,
  // Its dependencies are the package's own.
  packages: 'external',
  platform: 'neutral',
  target: 'es2022',
  format: 'esm',
  sourcemap: false,
  logLevel: 'warning'
});
