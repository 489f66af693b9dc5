/**
 * The examples of docs/patterns.md as sessions on a real kernel, with a model that plays its part.
 *
 * @jest-environment node
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Kernel } from '@jupyterlab/services';
import { systemClock } from '../../core/clock';
import type { RefineEvent } from '../../core/events/events';
import { fold, initialState } from '../../core/events/fold';
import { refine } from '../../core/loop';
import type { ILanguageModel } from '../../core/domain/model';
import { settingsSchema } from '../../core/settings';
import { createExecutor } from '../../kernel/create';
import { JupyterServer } from '../../kernel/__tests__/jupyterServer';
import {
  allTargets,
  buildRequest,
  cellsFromNotebook,
  planTarget,
  withLinkedTargets,
  type NotebookContent
} from '../../notebook';
import { FakeModel } from '../../testing/fakeModel';

jest.setTimeout(90_000);

type Block = { readonly language: string; readonly text: string };

/** The blocks of the document by the number of their pattern. */
const patterns = new Map(
  readFileSync(resolve('docs', 'patterns.md'), 'utf8')
    .split(/^## /m)
    .map(section => [
      Number(/^\d+/.exec(section)?.[0] ?? 0),
      [...section.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(
        ([, language, text]): Block => ({ language, text: text.trim() })
      )
    ])
);

const blocks = (pattern: number, ...languages: readonly string[]) =>
  patterns.get(pattern)!.filter(({ language }) => languages.includes(language));

const settingsOf = (pattern: number, which = 0): object =>
  JSON.parse(blocks(pattern, 'json')[which]?.text ?? '{}') as object;

/** The notebook that a pattern shows: its cells in order, a scorer tagged as the text says. */
function notebookOf(pattern: number): NotebookContent {
  return withLinkedTargets({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: blocks(pattern, '', 'markdown', 'python').map(
      ({ language, text }, index) => ({
        id: `cell-${index}`,
        cell_type: language === 'markdown' ? 'markdown' : 'code',
        source: text,
        metadata: text.includes('def score(') ? { tags: ['refine-scorer'] } : {}
      })
    )
  });
}

let server: JupyterServer;
let kernel: Kernel.IKernelConnection;

beforeAll(async () => {
  server = await JupyterServer.start();
  kernel = await server.startKernel();
});

afterAll(() => server.stop());

type Played = {
  readonly settings: object;
  readonly notebook: NotebookContent;
  readonly generator: ILanguageModel;
  readonly evaluatorModel?: ILanguageModel;
  readonly prompt?: string;
};

async function play(played: Played) {
  const { settings, notebook, generator, evaluatorModel, prompt } = played;
  const cells = cellsFromNotebook(notebook);
  const [target] = allTargets(cells, 'python');
  const plan = planTarget(cells, target, 'python', { panelPrompt: prompt });
  expect(plan.cellOptions.warnings).toEqual([]);
  const request = buildRequest({
    cells,
    plan,
    settings: settingsSchema.strict().parse(settings),
    variables: [],
    session: randomUUID(),
    path: 'patterns.ipynb',
    language: 'python'
  });
  const executor = await createExecutor(kernel, {
    isolation: 'fork',
    allowLive: () => Promise.resolve(false)
  });
  const events: RefineEvent[] = [];
  try {
    const stream = refine(request, {
      generator,
      evaluatorModel,
      executor,
      clock: systemClock,
      signal: new AbortController().signal
    });
    for await (const event of stream) {
      events.push(event);
    }
  } finally {
    executor.dispose();
  }
  const state = events.reduce(fold, initialState(request.session));
  return { state, outcome: state.outcome!, request };
}

/** One model in all roles: writes in order, and judges where it is asked for a schema. */
function inAllRoles(
  codes: readonly string[],
  judgements: readonly string[] = []
): FakeModel {
  let written = 0;
  let judged = 0;
  return new FakeModel([
    ({ schema }) =>
      schema
        ? judgements[Math.min(judged++, judgements.length - 1)]
        : codes[Math.min(written++, codes.length - 1)]
  ]);
}

const answer = (code: string, thought = 'I try this.') =>
  `${thought}\n\n\`\`\`python\n${code}\n\`\`\`\n`;

function says(evaluation: string, score: number, ...feedback: string[]) {
  return JSON.stringify({
    evaluation,
    score,
    criteria: { correctness: 10, complexity: score, 'readable names': 9 },
    feedback,
    done: evaluation === 'PASS'
  });
}

const sent = (model: FakeModel, call: number) =>
  model.requests[call].messages.map(({ content }) => content).join('\n\n');

/** A stack whose minimum is found by the given statement. */
const stack = (
  push: string,
  minimum: string,
  pop = 'return self.items.pop()'
) =>
  answer(
    `class Stack:
    def __init__(self):
        self.items = []
        self.minima = []
    def push(self, x):
        self.items.append(x)
        ${push}
    def pop(self):
        ${pop}
    def getMin(self):
        ${minimum}`,
    'A list of the minima goes along.'
  );

const WRONG = stack('self.minima.append(x)', 'return self.minima[-1]');
const SLOW = stack('pass', 'return min(self.items)');
const GOOD = stack(
  'self.minima.append(min([x, *self.minima[-1:]]))',
  'return self.minima[-1]',
  'self.minima.pop(); return self.items.pop()'
);

it('1. a generator and a separate evaluator: Stack the judge sees passes, and prompts keep every attempt', async () => {
  const generator = new FakeModel([WRONG, SLOW, GOOD]);
  const evaluatorModel = new FakeModel([
    says(
      'NEEDS_IMPROVEMENT',
      5,
      'getMin walks through all items: keep the minima.'
    ),
    says('PASS', 9)
  ]);
  const { state, outcome } = await play({
    settings: settingsOf(1),
    notebook: notebookOf(1),
    generator,
    evaluatorModel
  });
  expect(outcome).toMatchObject({
    passed: true,
    checkedBy: 'assertions',
    stopReason: 'passed',
    attempts: 3
  });
  expect(state.attempts.map(a => a.verdict?.parts?.length ?? 1)).toEqual([
    1, 2, 2
  ]);
  expect(evaluatorModel.requests).toHaveLength(2);
  const last = sent(generator, 2);
  expect(last).toContain('return self.minima[-1]');
  expect(last).toContain('return min(self.items)');
  expect(last).toContain('keep the minima');
});

it('2. types, thoughts and own criteria: the same Stack scores each criterion, and keeps the thoughts', async () => {
  const generator = new FakeModel([SLOW, GOOD]);
  const evaluatorModel = new FakeModel([
    says('NEEDS_IMPROVEMENT', 3),
    says('PASS', 9)
  ]);
  const { outcome, request } = await play({
    settings: settingsOf(2),
    notebook: {
      ...notebookOf(1),
      cells: notebookOf(1).cells.map(cell => ({
        ...cell,
        source: String(cell.source).replace(/^%%refine.*/, '%%refine')
      }))
    },
    generator,
    evaluatorModel
  });
  expect(request.options.workflow).toBe('typed-evaluator');
  expect(outcome).toMatchObject({ passed: true, attempts: 2 });
  expect(sent(evaluatorModel, 0)).toContain('- readable names');
  expect(sent(generator, 1)).toContain('complexity: 3 of 10');
  expect(sent(generator, 1)).toContain('A list of the minima goes along.');
});

const LOOP = `def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a`;

describe('3. self-refine: a poor fibonacci', () => {
  const workflow = /--workflow ([\w-]+)/.exec(blocks(3, 'bash')[0].text)![1];

  it('that passes is judged by the model that then makes it better', async () => {
    const generator = inAllRoles(
      [answer(LOOP)],
      [
        says('NEEDS_IMPROVEMENT', 4, 'Exponential: use a loop.'),
        says('PASS', 9)
      ]
    );
    const { state, outcome } = await play({
      settings: { workflow },
      notebook: notebookOf(3),
      generator
    });
    expect(state.attempts[0]).toMatchObject({
      attempt: 0,
      verdict: { evaluation: 'needs-improvement', passed: 3, total: 3 }
    });
    expect(outcome).toMatchObject({
      passed: true,
      attempts: 1,
      best: { candidate: LOOP },
      usage: { calls: 3 }
    });
    expect(sent(generator, 1)).toContain('Make fibonacci fast and clear');
    expect(sent(generator, 1)).toContain('Exponential: use a loop.');
  });
});

describe('4. a score: the length of a text', () => {
  const prompt = 'Say it in fewer words.';
  const texts = [
    'The quarterly numbers, collected as usual, show some growth to most readers.',
    'The quarterly numbers show, collected as usual, growth.',
    'The quarterly numbers show growth.'
  ];

  it('measured by the scorer, in words', async () => {
    const generator = new FakeModel(texts);
    const { state, outcome } = await play({
      settings: settingsOf(4, 1),
      notebook: notebookOf(4),
      generator,
      prompt
    });
    expect(outcome).toMatchObject({
      passed: true,
      checkedBy: 'scorer',
      stopReason: 'passed',
      scoreHistory: [12, 4, 0],
      best: {
        attempt: 2,
        candidate: texts[1],
        metric: { goal: 'min', value: 0 }
      },
      usage: { calls: 2 }
    });
    expect(state.attempts[1].feedback?.text).toContain(
      '12 words, 8 are enough'
    );
  });
});

it('5. what running it gave: fibonacci and its edges first candidates at once, then what fits the failure', async () => {
  const edges = (code: string) => answer(code);
  const generator = new FakeModel([
    edges('def fibonacci(n):\n    while n > 1:\n        pass\n    return n'),
    edges(LOOP),
    edges(LOOP.replace('a, b = 0, 1', 'a, b = 1, 1')),
    edges(
      LOOP.replace(
        '    a, b',
        "    if n < 0:\n        raise ValueError('n must not be negative')\n    a, b"
      )
    )
  ]);
  const { state, outcome } = await play({
    settings: { ...settingsOf(5), attemptTimeout: 2 },
    notebook: notebookOf(5),
    generator
  });
  expect(outcome).toMatchObject({
    passed: true,
    checkedBy: 'assertions',
    attempts: 4,
    best: { attempt: 4, passed: 4, total: 4 }
  });
  const stops = state.attempts.map(a => a.execution?.stop ?? null);
  expect(stops.filter(stop => stop === 'timeout')).toHaveLength(1);
  expect(sent(generator, 3)).toContain('fibonacci(-1)');
});
