/** @jest-environment node */
import type { Execution } from '../../../../core/domain/execution';
import type { RefineRequest } from '../../../../core/domain/request';
import { settingsSchema } from '../../../../core/settings';
import {
  FORK_ISOLATION,
  fakeExecution
} from '../../../../testing/fakeExecutor';
import { accept } from '../acceptance';
import type { CellRun, ICellRunner } from '../../../server/liveKernel';

function request(
  options: object = {},
  kind: 'code' | 'markdown' = 'code'
): RefineRequest {
  return {
    session: 's',
    path: 'n.ipynb',
    language: 'python',
    target: { cellId: 't', index: 0, kind, source: '' },
    prompt: '',
    promptOrigin: 'none',
    assertions: [
      {
        cellId: 'a',
        index: 1,
        role: 'assertion',
        source: 'assert x',
        statements: 1
      }
    ],
    holdouts: [
      {
        cellId: 'h',
        index: 2,
        role: 'holdout',
        source: 'assert y',
        statements: 1
      }
    ],
    context: { cells: [], cellsLeftOut: 0, variables: [], values: 'types' },
    options: settingsSchema.parse(options)
  };
}

async function accepted(
  given: Execution | null,
  {
    options = {},
    answer = false,
    fail = '',
    message = 'm',
    canAsk = true,
    kind = 'code' as 'code' | 'markdown'
  } = {}
) {
  const ran: string[] = [];
  const questions: string[] = [];
  const kernel: ICellRunner = {
    run: (source: string): Promise<CellRun> => {
      ran.push(source);
      const error =
        source === fail ? { name: 'E', message, traceback: '' } : null;
      return Promise.resolve({
        outputs: [],
        executionCount: ran.length,
        error
      });
    }
  };
  const result = await accept({
    request: request(options, kind),
    candidate: 'x = 1',
    execution: given,
    kernel,
    questions: {
      canAsk,
      text: () => Promise.resolve(''),
      yes: question => {
        questions.push(question);
        return Promise.resolve(answer);
      }
    },
    signal: new AbortController().signal
  });
  return { ...result, ran, questions };
}

describe('accept', () => {
  it('runs target and assertions, no hold-outs, if harmless', async () => {
    const result = await accepted(fakeExecution());
    expect(result).toMatchObject({
      accepted: 'ran',
      failure: null,
      notRun: null,
      mayRunLater: false,
      questions: []
    });
    expect(result.ran).toEqual(['x = 1', 'assert x']);
    expect(result.edits).toEqual([
      { cellId: 't', source: 'x = 1', outputs: [], executionCount: 1 },
      { cellId: 'a', outputs: [], executionCount: 2 }
    ]);
  });

  it.each<[string, Partial<Execution>, string]>([
    [
      'wrote files',
      { filesWritten: ['a.txt'] },
      'The attempt wrote a.txt (discarded).'
    ],
    [
      'was denied something',
      { denied: ['tried to reach example.org:443'] },
      'Blocked: the attempt tried to reach example.org:443.'
    ],
    [
      'ran live',
      { isolation: { ...FORK_ISOLATION, mode: 'live', memory: false } },
      'The attempt was not isolated.'
    ]
  ])('asks after an attempt that %s', async (_, fields, reason) => {
    const refused = await accepted(fakeExecution(fields));
    expect(refused).toMatchObject({
      accepted: 'inserted',
      notRun: `${reason} You declined.`,
      mayRunLater: false,
      ran: []
    });
    expect(refused.questions).toEqual([
      `The attempt passed. ${reason} Run it for real now?`
    ]);
    expect(refused.edits).toEqual([
      { cellId: 't', source: 'x = 1', outputs: [], executionCount: null }
    ]);
    const allowed = await accepted(fakeExecution(fields), { answer: true });
    expect(allowed.accepted).toBe('ran');
  });

  it('asks where nothing is known of the attempt', async () => {
    expect((await accepted(null)).questions).toHaveLength(1);
  });

  it('does not ask again for what was allowed on the command line', async () => {
    const live = fakeExecution({
      isolation: {
        ...FORK_ISOLATION,
        mode: 'live',
        memory: false,
        files: 'open',
        network: false
      }
    });
    const result = await accepted(live, { options: { isolation: 'live' } });
    expect(result).toMatchObject({ accepted: 'ran', questions: [] });
  });

  it('does not ask for what the attempt could do for real already', async () => {
    const open = fakeExecution({
      isolation: { ...FORK_ISOLATION, files: 'open', network: false }
    });
    expect(await accepted(open)).toMatchObject({
      accepted: 'ran',
      questions: []
    });
  });

  it('obeys onPass', async () => {
    expect(
      await accepted(fakeExecution(), {
        options: { onPass: 'insert' },
        answer: true
      })
    ).toMatchObject({
      accepted: 'inserted',
      ran: [],
      questions: [],
      notRun: '--on-pass insert.'
    });
    expect(
      await accepted(fakeExecution(), { options: { onPass: 'ask' } })
    ).toMatchObject({
      accepted: 'inserted',
      notRun: 'You declined.',
      questions: ['The attempt passed. Run it for real now?']
    });
    expect(
      await accepted(fakeExecution(), {
        options: { onPass: 'ask' },
        answer: true
      })
    ).toMatchObject({ accepted: 'ran' });
  });

  it('never runs prose', async () => {
    expect(
      await accepted(fakeExecution(), { kind: 'markdown', answer: true })
    ).toMatchObject({ accepted: 'inserted', ran: [], notRun: null });
  });

  it('runs a harmless written cell for a later target', async () => {
    const insert = { options: { onPass: 'insert' } };
    expect(await accepted(fakeExecution(), insert)).toMatchObject({
      mayRunLater: true
    });
    expect(
      await accepted(fakeExecution({ filesWritten: ['a.txt'] }), insert)
    ).toMatchObject({ mayRunLater: false });
  });

  it('says where nobody could be asked', async () => {
    const result = await accepted(fakeExecution({ denied: ['x'] }), {
      canAsk: false
    });
    expect(result.notRun).toBe(
      'Blocked: the attempt x. There is no terminal to ask at.'
    );
  });

  it('has no colon before an error that says nothing', async () => {
    const result = await accepted(fakeExecution(), {
      fail: 'assert x',
      message: ''
    });
    expect(result.failure).toBe(
      'the attempt passed, but the cell failed in the notebook: E'
    );
  });

  it('reports that it fails for real', async () => {
    const result = await accepted(fakeExecution(), { fail: 'assert x' });
    expect(result.failure).toBe(
      'the attempt passed, but the cell failed in the notebook: E: m'
    );
  });
});
