/**
 * What the loop's policies save on real model output.
 *
 *     node bench/replay/replay.mjs [--tasks FILE] [--recorded FOLDER] [--json FILE]
 *
 * Recorded answers of real models to MBPP tasks go through the real loop in
 * their order, each run in a fork of a real kernel against the one check that
 * the model had seen; MBPP's own checks say whether a task is solved. Beside it,
 * on the same recordings, the plain cap and stopping at the first repeat; then
 * other rules on two halves of the tasks, and what follows on four answers.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { loadProduct } from '../kernel/bundle.mjs';
import { SERVER } from '../kernel/attach.mjs';
import { CachedExecutor, cacheFile } from '../mbpp/cachedExecutor.mjs';
import { inParallel } from '../mbpp/inParallel.mjs';
import {
  ownChecks,
  readLines,
  readTasks,
  RECORDED,
  TASKS
} from '../mbpp/tasks.mjs';
import { compare, firstRepeat, plainCap, session, total } from './count.mjs';
import { ceiling, pattern, rulesOf, statesOf, tally } from './rules.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const CAPS = [5, 10];
const SECONDS = 10;
/** Tasks at once: most of an execution is waiting. */
const WORKERS = 3;

const { values: flags } = parseArgs({
  options: {
    tasks: { type: 'string', default: TASKS },
    recorded: { type: 'string', default: RECORDED },
    cache: { type: 'string', default: cacheFile(ROOT, 'recorded') },
    server: { type: 'string', default: SERVER },
    json: { type: 'string' }
  }
});
console.debug = () => undefined;

const tasks = readTasks(flags.tasks);
const files = readdirSync(flags.recorded).filter(name =>
  name.endsWith('.jsonl')
);
const product = await loadProduct(ROOT);
const executor = new CachedExecutor({
  product,
  program: flags.server,
  file: flags.cache
});
const results = [];
const judgedByModel = {};
try {
  for (const file of files.sort()) {
    const records = readLines(join(flags.recorded, file));
    results.push(await replay(file.replace(/\.jsonl$/, ''), records));
  }
} finally {
  await executor.dispose();
}
show(results);
const ceilings = CAPS.flatMap(cap =>
  [null, product.failureSignature].map(signature => ({
    cap,
    sees: signature ? 'programs and failures' : 'programs',
    saved: ceiling(judgedByModel, cap, signature)
  }))
);
console.log(
  '\nthe most that a rule can save, in hindsight, with no repair lost'
);
for (const { cap, sees, saved } of ceilings) {
  console.log(`cap ${cap}, sees ${sees}: ${JSON.stringify(saved)}`);
}
if (flags.json) {
  writeFileSync(
    flags.json,
    `${JSON.stringify({ results, ceilings }, null, 2)}\n`
  );
}

async function replay(name, records) {
  const rows = {};
  const sessions = [];
  const judgedAll = [];
  const add = (cap, rule, run, recording) =>
    (rows[`${cap} ${rule}`] ??= []).push(compare(run, recording, cap));
  await inParallel(records, WORKERS, async record => {
    const recording = await judged(record);
    judgedAll.push({
      task: record.task_id,
      recording,
      states: statesOf(recording, product)
    });
    for (const cap of CAPS) {
      add(cap, 'plain cap', plainCap(recording, cap), recording);
      add(cap, 'first repeat', firstRepeat(recording, cap), recording);
      const run = await drive(record, recording, cap);
      add(cap, 'refine', run, recording);
      sessions.push({ task: record.task_id, cap, ...run });
    }
  });
  judgedByModel[name] = judgedAll;
  const table = Object.entries(rows).map(([key, all]) => {
    const [cap, ...rule] = key.split(' ');
    return { cap: Number(cap), rule: rule.join(' '), ...total(all) };
  });
  return {
    name,
    tasks: records.length,
    table,
    sessions,
    rules: rulesTable(judgedAll),
    fifth: fifthAnswers(judgedAll)
  };
}

/** Each rule at each cap: calls stopped and repairs lost, on both halves of the tasks. */
function rulesTable(judgedAll) {
  return Object.entries(rulesOf(product)).flatMap(([rule, ends]) =>
    CAPS.map(cap => ({ rule, cap, halves: tally(judgedAll, ends, cap) }))
  );
}

/** What came fifth, by the pattern of four answers that failed. */
function fifthAnswers(judgedAll) {
  const rows = {};
  for (const { recording } of judgedAll) {
    const failed = recording.findIndex(({ passes }) => passes);
    if (recording.length >= 5 && (failed < 0 || failed >= 4)) {
      const row = (rows[pattern(recording.slice(0, 4))] ??= {
        sessions: 0,
        repairs: 0
      });
      row.sessions += 1;
      row.repairs += Number(recording[4].passes && recording[4].solves);
    }
  }
  return rows;
}

/** Every recorded answer with its results. */
async function judged({ task_id, attempts, shown_tests }) {
  const task = taskOf(task_id);
  const judgements = [];
  for (const code of attempts) {
    judgements.push({
      code,
      form: product.normalForm(code, 'python'),
      execution: await runs(code, shown_tests.join('\n')),
      passes: holds(await runs(code, shown_tests.join('\n'))),
      solves: holds(await runs(code, ownChecks(task)))
    });
  }
  return judgements;
}

function taskOf(id) {
  return tasks.get(Number(id.replace('MBPP/', '')));
}

function runs(candidate, checks) {
  return executor.run(
    {
      // The executor distinguishes runs by it.
      id: randomUUID(),
      candidate,
      assertions: [checkCell(checks)],
      holdouts: [],
      limits: { seconds: SECONDS },
      contextValues: 'types',
      allowNetwork: false,
      allowWrites: false
    },
    () => undefined,
    new AbortController().signal
  );
}

function holds(execution) {
  return (
    execution.status === 'completed' &&
    execution.tampering.length === 0 &&
    execution.assertions.length > 0 &&
    execution.assertions.every(({ outcome }) => outcome === 'passed')
  );
}

/** The real loop with the recorded answers as its model. */
async function drive(record, recording, cap) {
  const { task_id, attempts, shown_tests, model } = record;
  const { text } = taskOf(task_id);
  // A recording may end before the cap without a pass: its end is the cap then.
  const answers = attempts.slice(0, cap);
  const events = product.refine(
    request(text, shown_tests.join('\n'), answers.length),
    {
      generator: product.recordedModel({
        model,
        tokensPerSecond: 0,
        answers: answers.map(code => ({
          text: `\`\`\`\`\`python\n${code}\n\`\`\`\`\`\n`
        }))
      }),
      executor,
      clock: product.systemClock,
      signal: new AbortController().signal
    }
  );
  const restarts = [];
  let outcome = null;
  for await (const event of events) {
    if (event.type === 'restart') {
      restarts.push(event.attempt);
    } else if (event.type === 'session-end') {
      ({ outcome } = event);
    }
  }
  const { passed, stopReason, attempts: calls, error } = outcome;
  const run = session(recording, calls, restarts);
  if (error || passed !== recording[calls - 1].passes) {
    throw new Error(
      `${task_id}: the loop and its judge disagree: ${JSON.stringify(outcome)}`
    );
  }
  return { ...run, restarts, stopReason };
}

function checkCell(source) {
  return {
    cellId: 'check',
    index: 1,
    role: 'assertion',
    source,
    statements: 1
  };
}

function request(prompt, checks, maxAttempts) {
  return {
    session: randomUUID(),
    path: 'replay.ipynb',
    language: 'python',
    target: { cellId: 'target', index: 0, kind: 'code', source: '' },
    prompt,
    promptOrigin: 'panel',
    assertions: [checkCell(checks)],
    holdouts: [],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options: product.settingsSchema.parse({
      maxAttempts,
      attemptTimeout: SECONDS
    })
  };
}

function show(all) {
  const heads = [
    'calls made',
    'stopped',
    'redirected',
    'solved',
    'repairs lost',
    'redirected repairs'
  ];
  const line = (head, cells) =>
    console.log(
      head.padEnd(20) + cells.map(c => String(c).padStart(20)).join('')
    );
  for (const { name, tasks: count, table, rules, fifth } of all) {
    console.log(`\n${name}, ${count} tasks`);
    line('', heads);
    for (const row of table) {
      const { cap, rule, calls, stopped, redirected } = row;
      line(`cap ${cap}, ${rule}`, [
        calls,
        stopped,
        redirected,
        row.solved,
        row.lost,
        row.redirectedRepair
      ]);
    }
    console.log('\nrules: stopped/lost on the first half, the second, both');
    for (const { rule, cap, halves } of rules) {
      const both = {
        stopped: halves[0].stopped + halves[1].stopped,
        lost: halves[0].lost + halves[1].lost
      };
      const cells = [...halves, both].map(h => `${h.stopped}/${h.lost}`);
      console.log(
        `cap ${cap}, ${rule}`.padEnd(64) +
          cells.map(cell => cell.padStart(10)).join('')
      );
    }
    console.log('\nfour answers that failed: sessions, repairs by the fifth');
    for (const [four, { sessions, repairs }] of Object.entries(fifth).sort(
      ([, a], [, b]) => b.sessions - a.sessions
    )) {
      console.log(`${four}  ${sessions}  ${repairs}`);
    }
  }
  console.log(
    `\n${executor.ran} of ${executor.asked} executions ran now, the others were known.`
  );
}
