/** @jest-environment node */
import type { Isolation } from '../../core/domain/execution';
import { NO_USAGE } from '../../core/domain/model';
import type { Outcome } from '../../core/domain/outcome';
import { settingsSchema } from '../../core/settings';
import type { NotebookCell } from '../structure/cells';
import { fingerprint, isStale, planTarget, wasRefined } from '../plan';
import {
  acceptedSource,
  provenance,
  readResult,
  sourceHash
} from '../provenance';
import { buildRequest } from '../request';
import { code } from './notebookFixture';

const notebook: readonly NotebookCell[] = [
  code('t', '# Sort\nx = 1'),
  code('a', 'assert x'),
  code('h', 'assert x == 2', { tags: ['refine-holdout'] })
];
const request = buildRequest({
  cells: notebook,
  plan: planTarget(
    notebook,
    { cellId: 't', index: 0, kind: 'code', source: notebook[0].source },
    'python'
  ),
  settings: settingsSchema.parse({}),
  variables: [],
  session: 's',
  path: 'n.ipynb',
  language: 'python'
});
const outcome: Outcome = {
  passed: true,
  checkedBy: 'assertions',
  stopReason: 'passed',
  best: null,
  attempts: 2,
  scoreHistory: [0, 1],
  converged: true,
  usage: NO_USAGE,
  modelMs: 1,
  kernelMs: 1
};
const ISOLATION: Isolation = {
  mode: 'fork',
  memory: true,
  files: 'overlay',
  network: true,
  reasons: ['r']
};
const ACCEPTED = {
  attempt: 2,
  candidate: 'x = 2',
  evaluation: 'pass',
  passed: 2,
  total: 2
} as const;
const provenanceOf = (parts: Partial<Parameters<typeof provenance>[0]>) =>
  provenance({
    request,
    outcome,
    accepted: ACCEPTED,
    isolation: ISOLATION,
    model: null,
    version: '0.1.0',
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
    ...parts
  });
const result = provenanceOf({
  model: { profile: 'demo', model: 'demo', host: 'local', recorded: true }
});

describe('provenance', () => {
  it('marks an attempt that did not pass, whatever its checks', () => {
    expect(result).not.toHaveProperty('notPassed');
    const kept = provenanceOf({
      accepted: { ...ACCEPTED, evaluation: 'needs-improvement' }
    });
    expect(kept).toMatchObject({ notPassed: true, passed: 2, total: 2 });
  });

  it('names the checks that were skipped, and no others', () => {
    const skips = provenanceOf({
      request: {
        ...request,
        assertions: [
          {
            ...request.assertions[0],
            source: 'assert x\nassert x == 3',
            statements: 2,
            skipped: [2]
          }
        ]
      }
    });
    expect(skips.skipped).toEqual([
      { cellId: 'a', line: 2, source: 'assert x == 3' }
    ]);
    expect(result).not.toHaveProperty('skipped');
  });

  it('keeps how many checks were confirmed', () => {
    const confirmed = { n: 1, of: 2 };
    expect(provenanceOf({ confirmed }).confirmed).toEqual(confirmed);
    expect(result).not.toHaveProperty('confirmed');
  });

  it('holds prompt, model, attempts, checks, isolation and version', () => {
    expect(result).toEqual({
      prompt: 'Sort',
      model: 'demo/demo',
      recorded: true,
      attempt: 2,
      attempts: 2,
      stopReason: 'passed',
      checkedBy: 'assertions',
      passed: 2,
      total: 2,
      isolation: {
        mode: 'fork',
        memory: true,
        files: 'overlay',
        network: true
      },
      checkCells: ['a', 'h'],
      sourceHash: sourceHash('# Sort\nx = 2'),
      checksHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      date: '2026-01-02T03:04:05.000Z',
      version: '0.1.0'
    });
  });

  const accepted = (change: Record<string, string> = {}) =>
    notebook
      .map(cell => ({
        ...cell,
        source: cell.id === 't' ? '# Sort\nx = 2' : cell.source
      }))
      .map(cell => ({ ...cell, source: change[cell.id] ?? cell.source }));

  it.each<[string, Record<string, string>, boolean]>([
    ['nothing', {}, false],
    [
      'blank lines at the end',
      { t: '# Sort\nx = 2\n\n', a: 'assert x\r\n' },
      false
    ],
    ['the source', { t: 'x = 3' }, true],
    ['an assertion', { a: 'assert x > 1' }, true],
    ['a hold-out', { h: 'assert x == 3' }, true],
    ['the role of a check', { a: 'x + 1' }, true]
  ])('goes stale or not after a change of %s', (_, change, stale) => {
    expect(isStale(result, accepted(change), 't', 'python')).toBe(stale);
  });

  it('holds for a longer candidate above checks of its own cell', () => {
    const own = (source: string) => code('t', `${source}\n\nassert f() == 1`);
    const before = own('def f():\n    pass');
    const { target, assertions } = planTarget(
      [before],
      { cellId: 't', index: 0, kind: 'code', source: before.source },
      'python'
    );
    const longer = 'def f():\n    a = 1\n    return a';
    const written = provenanceOf({
      request: { ...request, target, assertions, holdouts: [] },
      accepted: { ...ACCEPTED, candidate: longer }
    });
    expect(isStale(written, [own(longer)], 't', 'python')).toBe(false);
  });

  it('is read from a cell, and nothing else is', () => {
    expect(readResult(code('t', '', { refine: { result } }))).toEqual(result);
    expect(
      readResult(code('t', '', { refine: { result: { passed: 1 } } }))
    ).toBeNull();
    expect(readResult(code('t', ''))).toBeNull();
  });
});

describe('running a %%refine cell again', () => {
  const cells = (change: Record<string, string> = {}, stored?: string) =>
    [
      code('p', change['p'] ?? '%%refine\nSort.'),
      code('t', change['t'] ?? 'x = 1', {
        refine: { promptCell: 'p', fingerprint: stored }
      }),
      code('a', change['a'] ?? 'assert x')
    ] as const;
  const plan = (notebook: readonly NotebookCell[]) =>
    planTarget(
      notebook,
      { cellId: 't', index: 1, kind: 'code', source: notebook[1].source },
      'python'
    );
  const stored = fingerprint(plan(cells()));

  it('does nothing while all is what it was', () => {
    const notebook = cells({}, stored);
    expect(wasRefined(notebook, plan(notebook))).toBe(true);
  });

  it('is due the first time', () => {
    expect(wasRefined(cells(), plan(cells()))).toBe(false);
  });

  it.each([
    ['prompt', { p: '%%refine\nSort it.' }],
    ['options', { p: '%%refine --max-attempts 2\nSort.' }],
    ['source', { t: 'x = 2' }],
    ['checks', { a: 'assert x == 1' }]
  ])('is due after a change of the %s', (_, change) => {
    const notebook = cells(change, stored);
    expect(wasRefined(notebook, plan(notebook))).toBe(false);
  });
});

describe('acceptedSource', () => {
  function accepted(
    source: string,
    code: string,
    prompt = 'Add.\na sum',
    language = 'python'
  ): string {
    const target = { cellId: 'a', index: 0, kind: 'code', source } as const;
    return acceptedSource({ target, prompt, language }, code);
  }

  it.each([
    ['is put above the code', '# a sum\n', 'x = 1', '# a sum\nx = 1'],
    ['has all its lines', '# Add.\n#\n# a sum\ny', 'x', '# Add.\n# a sum\nx'],
    ['is not repeated', '# a sum', '# a sum\nx = 1', '# a sum\nx = 1'],
    [
      'is not repeated where it stands further down',
      '# a sum',
      'import os\n# a sum\nx = 1',
      'import os\n# a sum\nx = 1'
    ],
    [
      'is below a cell magic',
      '%%time\n# a sum',
      '%%time\nx = 1',
      '%%time\n# a sum\nx = 1'
    ],
    ['leaves remarks for tools out', '# noqa\n# a sum', 'x', '# a sum\nx']
  ])('the comment with the prompt %s', (_, source, code, expected) => {
    expect(accepted(source, code)).toBe(expected);
  });

  it('leaves code alone whose prompt is another text', () => {
    expect(accepted('# a sum', 'x = 1', 'Add two numbers.')).toBe('x = 1');
    expect(accepted('# a sum', '')).toBe('');
  });

  it('knows the comments of other languages', () => {
    expect(accepted('// a sum', 'let x = 1', 'a sum', 'javascript')).toBe(
      '// a sum\nlet x = 1'
    );
  });
});
