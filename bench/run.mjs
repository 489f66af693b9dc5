/**
 * All benchmarks, in one run: `make bench`. Prints tables; nothing here passes
 * or fails. Writes the raw figures to `.make/bench/`.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const out = join(root, '.make', 'bench');
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

function run(title, command, args, options = {}) {
  console.log(`\n== ${title}`);
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    ...options
  });
  if (status !== 0) {
    console.error(`bench: ${title} ended with status ${status}`);
    process.exitCode = 1;
  }
}

function table(name, figures) {
  console.log(`\n${name}`);
  for (const [what, value] of Object.entries(figures)) {
    const text = Number.isInteger(value) ? String(value) : value.toFixed(2);
    console.log(`  ${text.padStart(10)}  ${what}`);
  }
}

run('an attempt at the executor’s port', process.execPath, [
  'bench/kernel/overhead.mjs',
  '--large',
  // A round takes 4 s, since its model writes for 0.6 s before each warm attempt.
  ...['--rounds', '25'],
  '--json',
  join(out, 'kernel.json')
]);

run('the loop itself', process.execPath, [
  'bench/loop/loop.mjs',
  '--json',
  join(out, 'loop.json')
]);

const python = join(root, '.venv', 'bin', 'python');
const peers = ['--peers', join(root, '.venv-peers', 'bin', 'python')];
run('notebooks of a course, against nbclient and nbmake', python, [
  'bench/grading/grading.py',
  ...peers,
  '--json',
  join(out, 'grading.json')
]);

run('production build', 'jlpm', ['build:labextension'], { stdio: 'ignore' });

const browserFile = join(out, 'browser.jsonl');
run(
  'in a browser',
  join(root, 'node_modules', '.bin', 'playwright'),
  ['test', '--config', 'bench.config.ts'],
  {
    cwd: join(root, 'ui-tests'),
    env: { ...process.env, REFINE_BENCH_FILE: browserFile }
  }
);
if (existsSync(browserFile)) {
  for (const line of readFileSync(browserFile, 'utf8').trim().split('\n')) {
    const { name, figures } = JSON.parse(line);
    writeFileSync(join(out, `${name}.json`), JSON.stringify(figures, null, 1));
    table(name, figures);
  }
}

const statics = join(root, 'jupyterlab_refine', 'labextension', 'static');
const sizes = readdirSync(statics)
  .filter(name => name.endsWith('.js'))
  .map(name => {
    const text = readFileSync(join(statics, name));
    return { name, gzip: gzipSync(text, { level: 9 }).length };
  })
  .sort((a, b) => b.gzip - a.gzip);
const all = sizes.reduce((sum, { gzip }) => sum + gzip, 0);
// What loads at start is measured in the browser.
table('bundle', { 'all of it, kB gzip': all / 1000 });
for (const { name, gzip } of sizes.slice(0, 8)) {
  console.log(`  ${(gzip / 1000).toFixed(1).padStart(10)}  kB ${name}`);
}
