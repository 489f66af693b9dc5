/** @jest-environment node */
import type { Execution } from '../../../../core/domain/execution';
import { initialState } from '../../../../core/events/fold';
import { attemptOf } from '../../../../core/__tests__/states';
import { settingsSchema } from '../../../../core/settings';
import {
  FORK_ISOLATION,
  fakeExecution
} from '../../../../testing/fakeExecutor';
import { CellWriting } from '../acceptance';

const LIVE = { ...FORK_ISOLATION, mode: 'live' as const, memory: false };

async function accepted(
  execution: Execution | null,
  { options = {}, fail = '', kind = 'code' as 'code' | 'markdown' } = {}
) {
  const said: string[] = [];
  const ran: string[] = [];
  const note = (name: string) => (what: unknown) =>
    void said.push(typeof what === 'string' ? `${name} ${what}` : name);
  const writing = new CellWriting({
    progress: { status: () => undefined, warn: note('warn') } as never,
    events: { write: () => undefined, close: () => undefined },
    edits: {
      apply: note('apply'),
      insert: note('insert'),
      record: note('record')
    },
    above: {
      leaveOut: note('leaveOut'),
      markRun: note('ran'),
      tolerate: note('tolerate')
    },
    kernel: {
      run: source => {
        ran.push(source);
        const error =
          source === fail ? { name: 'E', message: 'm', traceback: '' } : null;
        return Promise.resolve({ outputs: [], executionCount: 1, error });
      }
    },
    signal: new AbortController().signal
  });
  const target = { cellId: 't', index: 0, kind, source: '' } as const;
  const check = { cellId: 'a', role: 'assertion', source: 'assert x' };
  const session = {
    request: {
      target,
      assertions: [check],
      options: settingsSchema.parse(options)
    },
    state: {
      ...initialState('s'),
      attempts: [attemptOf(1, { execution })]
    },
    outcome: { best: { attempt: 1, candidate: 'x = 1' } }
  };
  const result = await writing.accept(target, session as never, {} as never);
  return { ...result, ran, said };
}

it('runs target and assertions if the attempt was harmless', async () => {
  expect(await accepted(fakeExecution())).toMatchObject({
    accepted: 'ran',
    ran: ['x = 1', 'assert x'],
    said: ['ran t', 'ran a', 'apply', 'record']
  });
});

it.each<[string, Partial<Execution>, string]>([
  [
    'wrote files',
    { filesWritten: ['a.txt'] },
    'The attempt wrote a.txt (discarded). Running the cell writes for real.'
  ],
  [
    'was denied something',
    { denied: ['tried to reach example.org:443'] },
    'Blocked: the attempt tried to reach example.org:443.'
  ],
  [
    'ran live',
    { isolation: LIVE },
    'The attempt ran in the live kernel, not isolated.'
  ]
])('runs no attempt that %s', async (_, fields, reason) => {
  expect(await accepted(fakeExecution(fields))).toMatchObject({
    accepted: 'inserted',
    ran: [],
    said: [
      'leaveOut t',
      `warn   Not run: ${reason} To run it, run the cell; --on-pass insert runs no pass.`,
      'insert',
      'record'
    ]
  });
});

it.each([
  ['the live kernel', { isolation: LIVE }, { isolation: 'live' }],
  ['open files', { isolation: { ...FORK_ISOLATION, files: 'open' } }, {}]
])('runs it where %s was allowed', async (_, fields, options) => {
  const result = await accepted(fakeExecution(fields as Partial<Execution>), {
    options
  });
  expect(result.accepted).toBe('ran');
});

it('obeys onPass, and lets a harmless cell run for a later target', async () => {
  const insert = { options: { onPass: 'insert' } };
  expect((await accepted(fakeExecution(), insert)).said).toEqual([
    'tolerate t',
    'warn   Not run: --on-pass insert.',
    'insert',
    'record'
  ]);
  const wrote = fakeExecution({ filesWritten: ['a.txt'] });
  expect((await accepted(wrote, insert)).said[0]).toBe('leaveOut t');
});

it('never runs prose', async () => {
  expect(await accepted(fakeExecution(), { kind: 'markdown' })).toMatchObject({
    accepted: 'inserted',
    ran: []
  });
});

it('reports that it fails for real', async () => {
  expect(await accepted(fakeExecution(), { fail: 'assert x' })).toMatchObject({
    status: 'failed',
    message: 'the attempt passed, but the cell failed in the notebook: E: m'
  });
});
