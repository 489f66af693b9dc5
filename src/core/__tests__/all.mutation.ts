/**
 * Every spec of the core as one: Stryker starts Jest once for each mutant, and
 * to load the core anew in each of thirty specs takes ten times what the tests do.
 */
import { readdirSync } from 'fs';

/** They read what Stryker changes or leaves out, or draw other values each time. */
const LEFT_OUT = /^(exports|documented.*|.*Properties)\.spec\.ts$/;

for (const name of readdirSync(__dirname)) {
  if (name.endsWith('.spec.ts') && !LEFT_OUT.test(name)) {
    describe(name.slice(0, -'.spec.ts'.length), () => {
      // eslint-disable-next-line @typescript-eslint/no-require-imports
      require(`./${name}`);
    });
  }
}
