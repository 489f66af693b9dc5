/**
 * What the loop itself takes: sessions with a model and an executor that answer at once.
 *
 *     node bench/loop/loop.mjs [--attempts N] [--json FILE]
 *
 * Each session has five attempts; all but the last fail, each in its own way.
 */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadProduct } from '../kernel/bundle.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const PER_SESSION = 5;
const WARM_UP = 20;

const { values: options } = parseArgs({
  options: {
    attempts: { type: 'string', default: '2000' },
    json: { type: 'string' }
  }
});
const product = await loadProduct(ROOT);
const ISOLATION = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: []
};
const CHECKS = `assert fibonacci(1) == [0]
assert fibonacci(5) == [0, 1, 1, 2, 3]
assert fibonacci(2) == [0, 1]`;

const sessions = Math.ceil(Number(options.attempts) / PER_SESSION);
for (let i = 0; i < WARM_UP; i++) {
  await session(i);
}
const quarters = [];
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
for (let quarter = 0; quarter < 4; quarter++) {
  const quarterAt = performance.now();
  const count = Math.ceil(sessions / 4);
  for (let i = 0; i < count; i++) {
    await session(quarter * count + i);
  }
  quarters.push((performance.now() - quarterAt) / (count * PER_SESSION));
}
const attempts = 4 * Math.ceil(sessions / 4) * PER_SESSION;
const cpu = process.cpuUsage(cpuBefore);
const figures = {
  'loop, ms an attempt': (performance.now() - startedAt) / attempts,
  'loop, CPU ms an attempt': (cpu.user + cpu.system) / 1000 / attempts,
  'loop, last quarter / first': quarters[3] / quarters[0],
  attempts
};
for (const [name, value] of Object.entries(figures)) {
  console.log(`  ${value.toFixed(2).padStart(10)}  ${name}`);
}
if (options.json) {
  writeFileSync(options.json, `${JSON.stringify(figures, null, 1)}\n`);
}

function candidate(number, attempt) {
  return `def fibonacci(n):
    numbers = [0, 1]
    for _ in range(n - ${attempt === PER_SESSION ? 2 : attempt + 2}):
        numbers.append(numbers[-1] + numbers[-2])
    # Session ${number}, attempt ${attempt}.
    return numbers[:n]${attempt === PER_SESSION ? '' : ` + [${attempt}]`}`;
}

async function session(number) {
  let asked = 0;
  const usage = {
    calls: 1,
    promptTokens: 500,
    completionTokens: 60,
    estimated: false,
    cost: 0
  };
  const generator = {
    identity: { profile: 'b', model: 'b', host: 'b', recorded: true },
    async *generate() {
      asked += 1;
      const text = `A thought.\n\n\`\`\`python\n${candidate(number, asked)}\n\`\`\`\n`;
      yield { type: 'text', text };
      yield { type: 'end', finishReason: 'stop', usage };
    }
  };
  const request = {
    session: `loop${number}`,
    path: 'bench.ipynb',
    language: 'python',
    target: { cellId: 'target', index: 0, kind: 'code', source: '' },
    prompt: 'Write fibonacci(n)',
    promptOrigin: 'panel',
    assertions: [
      {
        cellId: 'check',
        index: 1,
        role: 'assertion',
        source: CHECKS,
        statements: 3
      }
    ],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options: product.settingsSchema.parse({ maxAttempts: PER_SESSION })
  };
  const events = product.refine(request, {
    generator,
    executor: instant(),
    clock: product.systemClock,
    signal: new AbortController().signal
  });
  let passed = false;
  for await (const event of events) {
    passed = event.type === 'session-end' && event.outcome.passed;
  }
  if (!passed || asked !== PER_SESSION) {
    throw new Error(`session ${number}: ${asked} attempts, passed: ${passed}`);
  }
}

/** Attempts in order; the last one passes. */
function instant() {
  let ran = 0;
  return {
    prepare: async () => ISOLATION,
    inspect: async () => [],
    run: async job => {
      ran += 1;
      return execution(job.id, ran, ran === PER_SESSION);
    }
  };
}

function execution(id, attempt, passes) {
  const value = repr => ({ expression: 'fibonacci(5)', type: 'list', repr });
  const assertions = CHECKS.split('\n').map((source, at) => {
    const outcome = passes || at === 2 ? 'passed' : 'failed';
    return {
      id: `check:${at + 1}`,
      cellId: 'check',
      role: 'assertion',
      line: at + 1,
      source,
      outcome,
      durationMs: 0,
      ...(outcome === 'failed'
        ? {
            operator: '==',
            expected: value('[0, 1, 1, 2, 3]'),
            observed: value(`[0, 1, 1, 2, ${attempt}]`),
            difference: `differs at index 4: ${attempt} instead of 3`
          }
        : { confirmed: true })
    };
  });
  return {
    id,
    status: 'completed',
    assertions,
    stdout: '',
    stderr: '',
    displays: [],
    isolation: ISOLATION,
    filesWritten: [],
    denied: [],
    tampering: [],
    warnings: [],
    durationMs: 0,
    totalMs: 0
  };
}
