/**
 * Completes the list of licences that JupyterLab's builder makes of a release
 * build: it misses packages whose code lies beside a nameless package.json, and
 * texts that a package does not carry.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { licenseOf } from './licenses.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIST =
  process.argv[2] ??
  join(ROOT, 'jupyterlab_refine/labextension/static/third-party-licenses.json');
/** JupyterLab brings these itself. */
const SHARED = /^(?:@jupyterlab\/|@lumino\/|react$)/;

if (!existsSync(LIST)) {
  throw new Error(`${LIST} is missing: it is made by a release build.`);
}
const { packages } = JSON.parse(readFileSync(LIST, 'utf8'));
const { dependencies } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8')
);
const names = new Set([
  ...packages.map(({ name }) => name),
  ...Object.keys(dependencies).filter(name => !SHARED.test(name))
]);
const complete = [...names].sort().map(name => {
  const known = packages.find(one => one.name === name);
  if (known?.extractedText) {
    return known;
  }
  const { version, license, text } = licenseOf(
    join(ROOT, 'node_modules', name)
  );
  return {
    name,
    versionInfo: version,
    licenseId: license,
    extractedText: text
  };
});
writeFileSync(LIST, `${JSON.stringify({ packages: complete }, null, 2)}\n`);
