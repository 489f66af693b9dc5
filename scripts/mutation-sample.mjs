// A random sample of the mutants of src/core (docs/mutation-core.md):
//     SEED=1 SHARE=0.02 jlpm stryker run scripts/mutation-sample.mjs
// This file is both Stryker's configuration and its plugin. The plugin refuses the mutants that are
// not drawn, so that no test runs for them; SEED and SHARE choose the sample.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import { PluginKind, declareClassPlugin } from '@stryker-mutator/api/plugin';

import whole from '../stryker.config.mjs';

const seed = process.env.SEED ?? '1';
const share = Number(process.env.SHARE ?? '0.04');

/** A number in [0, 1) that depends on seed and mutant alone, not on the order of files. */
function draw({ fileName, location: { start, end }, replacement }) {
  const file = fileName.slice(fileName.lastIndexOf('src/core/'));
  const text = JSON.stringify([seed, file, start, end, replacement]);
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

class Sample {
  async init() {}

  async check(mutants) {
    const drawn = mutant => draw(mutant) < share;
    return Object.fromEntries(
      mutants.map(mutant => [
        mutant.id,
        drawn(mutant)
          ? { status: 'passed' }
          : { status: 'compileError', reason: 'not drawn' }
      ])
    );
  }

  async group(mutants) {
    return [mutants.map(mutant => mutant.id)];
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.Checker, 'sample', Sample)
];

export default {
  ...whole,
  plugins: ['@stryker-mutator/*', fileURLToPath(import.meta.url)],
  checkers: ['sample'],
  incremental: false,
  // On a busy machine a slow run would count as one that never ends.
  timeoutMS: 40000,
  tempDirName: '.make/stryker-sample',
  reporters: ['progress-append-only', 'json'],
  jsonReporter: { fileName: `.make/mutation-core/sample-${seed}.json` },
  thresholds: { high: 90, low: 85, break: null }
};
