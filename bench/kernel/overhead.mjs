/**
 * What an attempt costs over a bare execute, on one kernel and one connection.
 *
 *     node bench/kernel/overhead.mjs [--rounds N] [--large] [--json FILE]
 *
 * Of a spare it says how long the kernel's main thread is not the user's, beside
 * a raw fork of that kernel, both timed in the kernel.
 *
 * `--large` repeats with 4 GB of numpy in 4K pages, the worst case of a fork.
 * Kinds alternate within each round, so that a busy machine slows all of them.
 *
 * `--forms` measures only a fork against started processes with copies (macOS, Windows), for a notebook
 * with pandas and 10 MB of data; without it that is the last table.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attach, SERVER } from './attach.mjs';
import { loadProduct } from './bundle.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const WARM_UP = 5;
/** What a fast model takes to write the candidate: 60 tokens. */
const WRITING_MS = 600;
const LARGE = 'import numpy; large = numpy.ones(1 << 29)';
/** So that the array is in 4K pages. */
const SMALL_PAGES = { NUMPY_MADVISE_HUGEPAGE: '0' };
const WARM = 'passing attempt, warm';
/** The same attempts up to where the judge takes over: what a pass cost before there was one. */
const ALONE = 'passing attempt, warm, unconfirmed';
const HELD_OUT = 'passing attempt with a hold-out, warm';
/** The peer of a failing attempt: the same lines as a cell, with IPython's own traceback. */
const TRACEBACK = 'failing cell, IPython’s traceback';
const CANDIDATE = `def fibonacci(n):
    numbers = [0, 1]
    for _ in range(n - 2):
        numbers.append(numbers[-1] + numbers[-2])
    return numbers[:n]`;
const CHECK = `assert fibonacci(1) == [0]
assert fibonacci(5) == [0, 1, 1, 2, 3]
assert fibonacci(2) == [0, 1]`;
const HOLDOUT = {
  cellId: 'holdout',
  index: 2,
  role: 'holdout',
  source: 'assert fibonacci(3) == [0, 1, 1]',
  statements: 1
};

/** 10 MB in 3 columns. */
const FRAME = `import pandas as pd
frame = pd.DataFrame({name: range(420_000) for name in ("key", "value", "other")})`;
const GROUPS = `totals = frame.groupby(frame["key"] % 7)["value"].sum()`;
const FRAME_CHECK =
  'assert len(totals) == 7\nassert totals.sum() == frame["value"].sum()';
/** 200 MB of numbers and a list of 500,000 rows, and what reads them: a name, candidate and check. */
const MUCH = `import numpy as np, pandas as pd
rows = [{"id": n, "name": str(n)} for n in range(500_000)]
frame = pd.DataFrame(np.ones((2_500_000, 10)), columns=list("abcdefghij"))`;
const READERS = {
  'a column of a frame': [
    'mean',
    'mean = frame["a"].mean()',
    'assert mean == frame["a"].mean()'
  ],
  'a function over rows': [
    'total',
    'def total(rs):\n    return sum(len(r["name"]) for r in rs)',
    'assert total(rows) == sum(len(r["name"]) for r in rows)'
  ]
};
/** What a model on a laptop takes to write some lines; in that time the processes start. */
const SLOW_WRITING_MS = 5000;
const FORM_ROUNDS = 10;

const FORKS = `import json as _json, os as _os, posix as _posix, sys as _sys, time as _time
def _raw_fork():
    began = _time.perf_counter()
    child = _posix.fork()
    if child == 0:
        _os._exit(0)
    took = _time.perf_counter() - began
    _os.waitpid(child, 0)
    return took
def _spare():
    request = _json.dumps({"op": "prepare", "allowNetwork": False, "allowWrites": False})
    began = _time.perf_counter()
    _sys.modules["_jupyterlab_refine"].call(request)
    return _time.perf_counter() - began`;

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    large: { type: 'boolean', default: false },
    forms: { type: 'boolean', default: false },
    json: { type: 'string' },
    server: { type: 'string', default: SERVER }
  }
});
console.debug = () => undefined;
let jobs = 0;

const product = await loadProduct(ROOT);
const rows = [];
if (!options.forms) {
  rows.push(...(await measure('small kernel', {})));
}
if (options.large) {
  const extra = { prepare: LARGE, env: SMALL_PAGES };
  rows.push(...(await measure('4 GB numpy, 4K pages', extra)));
}
rows.push(...(await measureMuch()));
rows.push(...(await measureForms()));
show(rows);
if (options.json) {
  writeFileSync(options.json, `${JSON.stringify({ rows }, null, 2)}\n`);
}

/** All kinds on one kernel of a server of its own: rows of milliseconds. */
async function measure(label, setUp) {
  const { kernel, executor, stop } = await attach(
    product,
    options.server,
    setUp
  );
  try {
    const kinds = {
      'bare execute': () => bareExecute(kernel),
      [TRACEBACK]: () => failingCell(kernel),
      'passing attempt': () => attempt(executor, CHECK, 'passed'),
      'failing attempt': () =>
        attempt(executor, CHECK.replace('2, 3]', '2, 4]'), 'failed'),
      [WARM]: () => attempt(executor, CHECK, 'passed', true),
      [HELD_OUT]: () => attempt(executor, CHECK, 'passed', true, [HOLDOUT]),
      'failing attempt, warm': () =>
        attempt(executor, CHECK.replace('2, 3]', '2, 4]'), 'failed', true),
      'code block closed to verdict': () => closedToVerdict(executor)
    };
    const times = Object.fromEntries(Object.keys(kinds).map(k => [k, []]));
    Object.assign(times, { [ALONE]: [] });
    const rounds = Number(options.rounds);
    for (let round = -WARM_UP; round < rounds; round++) {
      process.stderr.write(`\r${label}: round ${round + 1} of ${rounds}  `);
      for (const [kind, run] of Object.entries(kinds)) {
        const { ms, confirmMs } = await run();
        if (round >= 0) {
          times[kind].push(ms);
          if (kind === WARM) {
            times[ALONE].push(ms - confirmMs);
          }
        }
      }
    }
    process.stderr.write('\n');
    await kernel.requestExecute({ code: FORKS }).done;
    Object.assign(times, { 'raw fork, in the kernel': [] });
    Object.assign(times, { 'main thread blocked per spare': [] });
    for (let round = -WARM_UP; round < rounds; round++) {
      // An execution, which makes the last spare stale.
      await kernel.requestExecute({ code: 'pass' }).done;
      const raw = await secondsOf(kernel, '_raw_fork()');
      const spare = await secondsOf(kernel, '_spare()');
      await new Promise(done => setTimeout(done, 20));
      if (round >= 0) {
        times['raw fork, in the kernel'].push(1000 * raw);
        times['main thread blocked per spare'].push(1000 * spare);
      }
    }
    const bare = quantile(times['bare execute'], 0.5);
    return Object.entries(times).map(([kind, all]) => ({
      kernel: label,
      kind,
      p50: quantile(all, 0.5),
      p95: quantile(all, 0.95),
      ratio: quantile(all, 0.5) / bare,
      rounds
    }));
  } finally {
    await stop();
  }
}

/** Confirmed passes whose checks read much data, beside the same lines as a cell. */
async function measureMuch() {
  const setUp = { prepare: MUCH };
  const { kernel, executor, stop } = await attach(
    product,
    options.server,
    setUp
  );
  const rows = [];
  try {
    for (const [kind, [name, candidate, check]] of Object.entries(READERS)) {
      const times = { cell: [], 'passing attempt, warm': [] };
      for (let round = -2; round < FORM_ROUNDS; round++) {
        process.stderr.write(`\rmuch data: round ${round + 1}  `);
        await idle();
        const began = performance.now();
        await kernel.requestExecute({ code: `${candidate}\n${check}` }).done;
        const ofCell = performance.now() - began;
        await kernel.requestExecute({ code: `del ${name}` }).done;
        const { ms } = await attempt(executor, check, 'passed', true, [], {
          candidate
        });
        if (round >= 0) {
          times.cell.push(ofCell);
          times['passing attempt, warm'].push(ms);
        }
      }
      process.stderr.write('\n');
      const bare = quantile(times.cell, 0.5);
      for (const [what, all] of Object.entries(times)) {
        rows.push({
          kernel: 'much data',
          kind: `${kind}: ${what}`,
          p50: quantile(all, 0.5),
          p95: quantile(all, 0.95),
          ratio: quantile(all, 0.5) / bare,
          rounds: FORM_ROUNDS
        });
      }
    }
    return rows;
  } finally {
    await stop();
  }
}

/** The same passing attempt in both forms, after a cell has run: what was made ahead is stale. */
async function measureForms() {
  const setUp = { prepare: FRAME };
  const forms = [
    ['fork', await attach(product, options.server, setUp)],
    [
      'processes',
      await attach(product, options.server, { ...setUp, isolation: 'sidecar' })
    ]
  ];
  const job = { candidate: GROUPS, writingMs: SLOW_WRITING_MS };
  const times = {};
  try {
    for (let round = -2; round < FORM_ROUNDS; round++) {
      process.stderr.write(`\rboth forms: round ${round + 1}  `);
      for (const [form, { kernel, executor }] of forms) {
        for (const warm of [false, true]) {
          await kernel.requestExecute({ code: 'pass' }).done;
          const { ms } = await attempt(
            executor,
            FRAME_CHECK,
            'passed',
            warm,
            [],
            job
          );
          if (round >= 0) {
            const kind = `passing attempt${warm ? ', warm' : ''}: ${form}`;
            (times[kind] ??= []).push(ms);
          }
        }
      }
    }
    process.stderr.write('\n');
    const fork = quantile(times['passing attempt, warm: fork'], 0.5);
    return Object.entries(times).map(([kind, all]) => ({
      kernel: 'pandas, 10 MB',
      kind,
      p50: quantile(all, 0.5),
      p95: quantile(all, 0.95),
      ratio: quantile(all, 0.5) / fork,
      rounds: FORM_ROUNDS
    }));
  } finally {
    await Promise.all(forms.map(([, { stop }]) => stop()));
  }
}

async function bareExecute(kernel) {
  await idle();
  const began = performance.now();
  await kernel.requestExecute({
    code: '',
    store_history: false,
    allow_stdin: false
  }).done;
  return { ms: performance.now() - began, confirmMs: 0 };
}

async function failingCell(kernel) {
  await idle();
  const began = performance.now();
  const reply = await kernel.requestExecute({
    code: `${CANDIDATE}\n${CHECK.replace('2, 3]', '2, 4]')}`,
    store_history: false,
    allow_stdin: false
  }).done;
  if (reply.content.status !== 'error') {
    throw new Error('the cell did not fail');
  }
  return { ms: performance.now() - began, confirmMs: 0 };
}

/** As before an attempt on a warm spare: what the last attempt has started has ended. */
function idle() {
  return new Promise(done => setTimeout(done, WRITING_MS / 2));
}

/** What a Python expression in the kernel gives, as a number. */
async function secondsOf(kernel, expression) {
  const reply = await kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    user_expressions: { seconds: expression }
  }).done;
  return Number(reply.content.user_expressions.seconds.data['text/plain']);
}

function checkCell(source) {
  return {
    cellId: 'check',
    index: 1,
    role: 'assertion',
    source,
    statements: 3
  };
}

/** `warm`: with a child forked ahead, as it is while the model writes. */
async function attempt(
  executor,
  check,
  expected,
  warm = false,
  holdouts = [],
  { candidate = CANDIDATE, writingMs = WRITING_MS / 2 } = {}
) {
  const job = {
    id: `bench${jobs++}`,
    candidate,
    assertions: [checkCell(check)],
    holdouts,
    limits: { seconds: 30 },
    contextValues: 'types',
    allowNetwork: false,
    allowWrites: false
  };
  if (warm) {
    // The model takes longer than this to write anything.
    await new Promise(done => setTimeout(done, 20));
    if (!(await executor.warm(job))) {
      throw new Error('the kernel has no spare to give');
    }
    // It prepares itself while the model writes.
    await new Promise(done => setTimeout(done, writingMs));
  }
  const began = performance.now();
  const execution = await executor.run(
    job,
    () => undefined,
    new AbortController().signal
  );
  const ms = performance.now() - began;
  const { assertions } = execution;
  const asExpected =
    assertions.some(result => result.outcome === expected) &&
    (expected !== 'passed' || assertions.every(one => one.confirmed));
  if (!asExpected) {
    throw new Error(`not ${expected}: ${JSON.stringify(execution)}`);
  }
  return { ms, confirmMs: execution.confirmMs ?? 0 };
}

/** Through the whole loop, from the delta that closes the code block to the verdict. */
async function closedToVerdict(executor) {
  let closedAt = 0;
  const usage = {
    calls: 1,
    promptTokens: 1,
    completionTokens: 1,
    estimated: false,
    cost: 0
  };
  const generator = {
    identity: { profile: 'b', model: 'b', host: 'b', recorded: true },
    async *generate() {
      yield { type: 'text', text: `\`\`\`python\n${CANDIDATE}\n` };
      await new Promise(done => setTimeout(done, WRITING_MS));
      closedAt = performance.now();
      yield { type: 'text', text: '```\n' };
      yield { type: 'end', finishReason: 'stop', usage };
    }
  };
  const request = {
    session: `bench${jobs++}`,
    path: 'bench.ipynb',
    language: 'python',
    target: { cellId: 'target', index: 0, kind: 'code', source: '' },
    prompt: 'Write fibonacci(n)',
    promptOrigin: 'panel',
    assertions: [checkCell(CHECK)],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options: product.settingsSchema.parse({})
  };
  const events = product.refine(request, {
    generator,
    executor,
    clock: product.systemClock,
    signal: new AbortController().signal
  });
  let verdictAt = 0;
  for await (const event of events) {
    if (event.type === 'verdict-end' && event.attempt === 1) {
      verdictAt = performance.now();
    }
    if (event.type === 'session-end' && !event.outcome.passed) {
      throw new Error(`not passed: ${JSON.stringify(event.outcome)}`);
    }
  }
  return { ms: verdictAt - closedAt, confirmMs: 0 };
}

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

function show(table) {
  const line = cells =>
    `${cells[0].padEnd(28)}${cells[1].padEnd(38)}${cells
      .slice(2)
      .map(cell => cell.padStart(10))
      .join('')}\n`;
  process.stdout.write(line(['kernel', 'kind', 'p50 ms', 'p95 ms', 'ratio']));
  for (const row of table) {
    process.stdout.write(
      line([
        row.kernel,
        row.kind,
        row.p50.toFixed(1),
        row.p95.toFixed(1),
        row.ratio.toFixed(1)
      ])
    );
  }
}
