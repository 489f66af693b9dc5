import type { ICellModel } from '@jupyterlab/cells';
import type { IDebugger } from '@jupyterlab/debugger';
import { Signal } from '@lumino/signaling';
import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { checkCell, makeRequest } from '../../../core/__tests__/requests';
import { attemptOf, stateOf } from '../../../core/__tests__/states';
import type { AssertionResult } from '../../../core/domain/execution';
import { debuggable, debugCode } from '../debugCode';
import { pausedCell } from '../pausedFrame';

const CHECK =
  'seven = 7\nassert f(1) == 1\nassert f(\n    seven\n) == 14\nassert g()';
const request = makeRequest({
  assertions: [checkCell(CHECK, 3)],
  holdouts: [checkCell('assert secret()', 1, 'holdout')]
});

const failing = (result: Partial<AssertionResult>, number = 1) =>
  attemptOf(number, {
    code: 'def f(n):\n    return n\n',
    assertions: [fakeAssertion({ cellId: 'check', ...result })]
  });

describe('debugCode', () => {
  it('ends with the statement that failed, and stops at it', () => {
    const attempt = failing({
      line: 3,
      source: 'assert f(\n    seven\n) == 14',
      outcome: 'failed'
    });
    const found = debugCode(attempt, stateOf([attempt], { request }));
    expect(found?.source).toBe(
      'def f(n):\n    return n\n\nseven = 7\nassert f(1) == 1\nassert f(\n    seven\n) == 14'
    );
    expect(found?.source.split('\n')[found.line - 1]).toBe('assert f(');
  });

  it('stops where the candidate itself raised', () => {
    const error = { name: 'KeyError', message: '', traceback: '' };
    const attempt = attemptOf(1, {
      code: '# a\n\nx = d["k"]\ny = 1',
      execution: fakeExecution({ error: { ...error, candidateLine: 3 } })
    });
    expect(debugCode(attempt, stateOf([attempt], { request }))).toMatchObject({
      source: attempt.code,
      line: 3
    });
    const elsewhere = { ...attempt, execution: fakeExecution({ error }) };
    expect(debugCode(elsewhere, stateOf([elsewhere], { request }))?.line).toBe(
      3
    );
  });

  it('shows nothing of a hold-out', () => {
    const attempt = failing({
      cellId: 'hidden',
      role: 'holdout',
      source: '',
      outcome: 'failed'
    });
    expect(debugCode(attempt, stateOf([attempt], { request }))).toBeNull();
  });
});

describe('debuggable', () => {
  const failed = { line: 6, source: 'assert g()', outcome: 'failed' } as const;
  const passed = { ...failed, outcome: 'passed' } as const;
  const state = stateOf(
    [failing(failed, 1), failing(failed, 2), failing(passed, 3)],
    { request }
  );

  it('takes the last attempt that failed, or the one of a number', () => {
    expect(debuggable(state)?.attempt).toBe(2);
    expect(debuggable(state, 1)?.attempt).toBe(1);
    expect(debuggable(state, 3)).toBeNull();
    expect(debuggable(null)).toBeNull();
  });

  it('is for Python alone', () => {
    const r = { ...state, request: { ...request, language: 'r' } };
    expect(debuggable(r)).toBeNull();
  });
});

const SOURCES = ['import json', 'def f(x):\n    return g(x)', 'f(1)'];

const cells = SOURCES.map(
  (source, index) =>
    ({
      id: `cell${index}`,
      type: 'code',
      sharedModel: { getSource: () => source }
    }) as unknown as ICellModel
);

const frame = (id: number, name: string, line: number, path: string) => ({
  id,
  name,
  line,
  source: { path }
});

const FRAMES = [
  frame(7, 'loads', 12, '/lib/json.py'),
  frame(8, 'f', 2, `/tmp/${SOURCES[1]}`),
  frame(9, '<module>', 1, `/tmp/${SOURCES[2]}`)
];

function debuggerAt(selected: number, stopped = true) {
  const sendRequest = jest
    .fn()
    .mockResolvedValue({ success: true, body: { result: "'x'" } });
  const callstack = {
    frame: FRAMES.find(({ id }) => id === selected) ?? null,
    frames: FRAMES,
    framesChanged: new Signal<object, void>({})
  };
  const service = {
    session: { isStarted: true, sendRequest },
    hasStoppedThreads: () => stopped,
    getCodeId: (source: string) => `/tmp/${source}`,
    model: {
      callstack,
      variables: {
        scopes: [
          {
            name: 'Locals',
            variables: [
              { name: 'x' },
              { name: '__name__' },
              { name: '(return) g' }
            ]
          },
          { name: 'Globals', variables: [{ name: 'y' }] }
        ]
      }
    }
  };
  return { callstack, sendRequest, service: service as unknown as IDebugger };
}

describe('pausedCell', () => {
  it('is the cell of the selected frame, with its variables', async () => {
    const { sendRequest, service } = debuggerAt(8);
    const paused = pausedCell(service, cells)!;
    expect(paused.cellId).toBe('cell1');
    expect(paused.frame.names).toEqual(['x']);
    expect(paused).toMatchObject({ name: 'f', line: 2 });
    expect(await paused.frame.evaluate('1 + 1')).toBe("'x'");
    expect(sendRequest).toHaveBeenCalledWith('evaluate', {
      expression: '1 + 1',
      frameId: 8,
      context: 'clipboard'
    });
  });

  it('is the nearest caller in a cell, for a frame of a library', () => {
    const { service } = debuggerAt(7);
    const paused = pausedCell(service, cells)!;
    expect(paused.cellId).toBe('cell1');
    // Those that the debugger lists are of the library's frame.
    expect(paused.frame.names).toEqual([]);
    expect(paused).toMatchObject({ name: 'f', line: 2 });
  });

  it('is nothing where no call is in a cell, or nothing is stopped', () => {
    expect(pausedCell(debuggerAt(8).service, [])).toBeNull();
    expect(pausedCell(debuggerAt(8, false).service, cells)).toBeNull();
  });

  it('has gone on when its frame is no longer in the call stack', () => {
    const { callstack, service } = debuggerAt(8);
    const { frame: paused } = pausedCell(service, cells)!;
    expect(paused.isPaused()).toBe(true);
    callstack.frames = FRAMES.slice(2);
    expect(paused.isPaused()).toBe(false);
  });

  it('rejects with what the expression raised', async () => {
    const { sendRequest, service } = debuggerAt(8);
    sendRequest.mockResolvedValue({ success: false, message: 'KeyError: 1' });
    const { frame: paused } = pausedCell(service, cells)!;
    await expect(paused.evaluate('{}[1]')).rejects.toThrow('KeyError: 1');
  });
});
