/** Bundles the scripted model server into one file that browser and Python tests start. */
import { build } from 'esbuild';

await build({
  entryPoints: ['src/testing/scriptedServerMain.ts'],
  outfile: '.make/scripted-server.mjs',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'warning'
});
