/**
 * How many attempts a programmer needs who repairs only what the prompt reports.
 *
 *     node bench/feedback/feedback.mjs [--tasks FILE] [--count N] [--seed N] [--json FILE]
 *
 * Bugs are planted in MBPP's references (plant.py); the scripted programmer
 * (programmer.mjs, whose rules were committed before any tuning) is the model of
 * the real loop, whose prompts it reads. Every program runs once in a fork of a
 * real kernel. Four kinds of feedback, the same tasks, one run.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SERVER } from '../kernel/attach.mjs';
import { loadProduct } from '../kernel/bundle.mjs';
import { CachedExecutor } from '../mbpp/cachedExecutor.mjs';
import { inParallel } from '../mbpp/inParallel.mjs';
import { readLines, TASKS } from '../mbpp/tasks.mjs';
import { secondPrompts, summary } from './count.mjs';
import { programmer } from './programmer.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PLANT = join(ROOT, 'bench', 'feedback', 'plant.py');
const MAX_ATTEMPTS = 5;
const SECONDS = 4;
const WORKERS = 3;
/** `said` puts something else in the place of the last message of a prompt. */
const STRATEGIES = {
  auto: { options: {} },
  raw: { options: { feedback: 'raw' } },
  // In the words of executionkit 0.4.0; our own prompt has a line for each attempt besides.
  score: {
    options: { feedback: 'score', memory: 'best' },
    said: text =>
      text.replace(
        /^The last answer scored ([\d.]+) of 1\.[^]*$/,
        'The previous response scored $1 out of 1.0. Please improve it. Focus on quality, completeness, and accuracy. Provide the improved response only.'
      )
  },
  // What is said of the attempt before the last one.
  stale: { options: {}, said: (text, before) => before ?? text }
};

const { values: flags } = parseArgs({
  options: {
    tasks: { type: 'string', default: TASKS },
    count: { type: 'string', default: '210' },
    seed: { type: 'string', default: '1' },
    server: { type: 'string', default: SERVER },
    python: { type: 'string', default: join(dirname(SERVER), 'python') },
    json: { type: 'string' }
  }
});
console.debug = () => undefined;

// Bugs may hide each other: what holds with all of them is no task.
const tasks = readLines(planted()).filter(
  ({ bugs, programs }) => !holds(programs[2 ** bugs.length - 1])
);
const product = await loadProduct(ROOT);
const executor = new CachedExecutor({
  product,
  program: flags.server,
  // The order of sets is that of plant.py.
  env: { PYTHONHASHSEED: '0' }
});
const runs = Object.fromEntries(Object.keys(STRATEGIES).map(s => [s, []]));
try {
  await inParallel(tasks, WORKERS, async task => {
    for (const [name, strategy] of Object.entries(STRATEGIES)) {
      runs[name].push(await drive(task, strategy));
    }
  });
} finally {
  await executor.dispose();
}
show();
if (flags.json) {
  writeFileSync(flags.json, `${JSON.stringify({ runs }, null, 2)}\n`);
}

/** The file with tasks and bugs: written once for these flags and this plant.py. */
function planted() {
  const { tasks: path, count, seed, python } = flags;
  const version = createHash('sha256')
    .update(readFileSync(PLANT))
    .update(readFileSync(path))
    .digest('hex')
    .slice(0, 12);
  const folder = join(ROOT, '.make', 'replay');
  const file = join(folder, `planted-${count}-${seed}-${version}.jsonl`);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const args = [PLANT, '--tasks', path, '--count', count, '--seed', seed];
    console.log('Planting bugs, which takes some minutes the first time …');
    writeFileSync(
      `${file}.part`,
      execFileSync(python, args, { maxBuffer: 1 << 30 })
    );
    renameSync(`${file}.part`, file);
  }
  return file;
}

/** One session of the real loop. */
async function drive(task, { options, said = text => text }) {
  const write = programmer(task);
  const prompts = [];
  const programs = [];
  const kept = [];
  const read = [];
  const generator = {
    identity: { profile: 'b', model: 'scripted', host: 'b', recorded: true },
    async *generate({ messages }) {
      const { role, content } = messages.at(-1);
      const last = { role, content: said(content, kept.at(-1)) };
      const prompt = [...messages.slice(0, -1), last];
      kept.push(content);
      read.push(last.content);
      prompts.push(product.estimatePrompt(prompt));
      const bugs = write(prompt);
      programs.push(bugs);
      const text = `\`\`\`python\n${task.programs[bugs].code}\n\`\`\`\n`;
      yield { type: 'text', text };
      const usage = {
        calls: 1,
        promptTokens: prompts.at(-1),
        completionTokens: 1,
        estimated: true,
        cost: 0
      };
      yield { type: 'end', finishReason: 'stop', usage };
    }
  };
  const events = product.refine(request(task, options), {
    generator,
    executor,
    clock: product.systemClock,
    signal: new AbortController().signal
  });
  let outcome = null;
  for await (const event of events) {
    if (event.type === 'session-end') {
      ({ outcome } = event);
    }
  }
  return {
    task: task.task,
    bugs: task.bugs.length,
    kinds: task.bugs,
    solved: outcome.passed,
    attempts: outcome.attempts,
    stopReason: outcome.stopReason,
    prompts,
    programs,
    // What plant.py found of the program, beside what the loop did.
    agrees: outcome.passed === holds(task.programs[programs.at(-1)]),
    read
  };
}

function holds({ facts }) {
  return facts.every(({ outcome }) => outcome === 'holds');
}

function request(task, options) {
  return {
    session: randomUUID(),
    path: 'feedback.ipynb',
    language: 'python',
    target: { cellId: 'target', index: 0, kind: 'code', source: '' },
    prompt: task.text,
    promptOrigin: 'panel',
    assertions: [
      {
        cellId: 'check',
        index: 1,
        role: 'assertion',
        source: [task.setup, ...task.checks]
          .filter(text => text.trim() !== '')
          .join('\n'),
        statements: task.checks.length
      }
    ],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options: product.settingsSchema.parse({
      maxAttempts: MAX_ATTEMPTS,
      attemptTimeout: SECONDS,
      ...options
    })
  };
}

function show() {
  const bugs = tasks.reduce((sum, task) => sum + task.bugs.length, 0);
  console.log(`\n${tasks.length} tasks with ${bugs} bugs, seed ${flags.seed}`);
  const line = cells =>
    console.log(
      cells.map((c, i) => (i ? c.padStart(24) : c.padEnd(10))).join('')
    );
  line([
    'feedback',
    'solved within 5',
    'attempts',
    'over bugs + 1',
    'tokens of later prompts',
    'second prompt over raw',
    'tokens per task'
  ]);
  for (const [name, all] of Object.entries(runs)) {
    const figures = summary(all, MAX_ATTEMPTS);
    line([
      name,
      `${(100 * figures.solved).toFixed(1)} %`,
      figures.attempts.toFixed(2),
      figures.overIdeal.toFixed(3),
      figures.promptTokens.toFixed(0),
      secondPrompts(all, runs.raw).toFixed(2),
      figures.tokensPerTask.toFixed(0)
    ]);
  }
  const odd = Object.values(runs)
    .flat()
    .filter(run => !run.agrees);
  console.log(
    `\n${executor.ran} programs ran in a kernel; ${odd.length} sessions ended otherwise than their last program deserves.`
  );
}
