/**
 * Screenshots of the built gallery by headless Chromium (`CHROMIUM`, else
 * `chromium` on the path): `node shoot.mjs [query] [WIDTHxHEIGHT] [name]`,
 * for both themes, into `dist/`.
 */
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [query = 'width=400', size = '1740x2600', name = 'gallery'] =
  process.argv.slice(2);

for (const theme of ['light', 'dark']) {
  const file = join(here, 'dist', `${name}-${theme}.png`);
  execFileSync(
    process.env.CHROMIUM ?? 'chromium',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--hide-scrollbars',
      '--virtual-time-budget=1500',
      `--window-size=${size.replace('x', ',')}`,
      `--screenshot=${file}`,
      `file://${join(here, 'dist', `${theme}.html`)}?${query}`
    ],
    { stdio: 'ignore' }
  );
  console.log(file);
}
