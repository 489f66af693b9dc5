/** Licences of the packages in a bundle. One without its text ends the build: those licences ask for it. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Packages of Project Jupyter come without the file; they have one licence. */
const JUPYTER = /^@(?:jupyterlab|lumino|jupyter)\//;

/** Name, version, licence and its text, of the package in `folder`. */
export function licenseOf(folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8')
  );
  const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
  const path = file
    ? join(folder, file)
    : JUPYTER.test(name) && license === 'BSD-3-Clause'
      ? join(HERE, 'licenses/jupyter.txt')
      : null;
  if (path === null) {
    throw new Error(
      `${name} ${version} (${license}) has no licence text: add it to scripts/licenses.mjs.`
    );
  }
  return { name, version, license, text: readFileSync(path, 'utf8').trim() };
}
