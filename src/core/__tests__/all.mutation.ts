/**
 * Every spec of the core as one: Stryker starts Jest once for each mutant, and
 * to load the core again in each of its specs takes ten times what the tests do.
 */
import { readdirSync } from 'fs';
import { basename, join } from 'path';

/** They read what Stryker changes or leaves out, or draw other values each time. */
const LEFT_OUT = /^exports\.story|\.(docs|properties)\.spec\.ts$/;

const CORE = join(__dirname, '..');

for (const path of readdirSync(CORE, { recursive: true, encoding: 'utf8' })) {
  const name = basename(path);
  if (name.endsWith('.spec.ts') && !LEFT_OUT.test(name)) {
    describe(path.slice(0, -'.spec.ts'.length), () => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      require(join(CORE, path));
    });
  }
}
