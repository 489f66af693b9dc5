import { initialState } from '../../../core/events/fold';
import type { AttemptState, SessionState } from '../../../core/events/state';
import type { RefineRequest } from '../../../core/domain/request';
import type { RefineView, TargetView } from '../../../tokens';
import { enabled, type CommandContext } from '../enablement';
import { NOTHING_YET } from '../../lazyManager';
import { choiceOf, wholeLines } from '../selectionCommands';

const REQUEST = {} as RefineRequest;

const running: SessionState = initialState('s');

const context = (
  view: Partial<RefineView>,
  activeCell: CommandContext['activeCell'] = 'code'
): CommandContext => ({ view: { ...NOTHING_YET, ...view }, activeCell });

const which = (of: CommandContext) =>
  Object.entries(enabled)
    .filter(([, is]) => is(of))
    .map(([name]) => name);

describe('command enablement', () => {
  it('needs an active cell that can be refined', () => {
    expect(which(context({}, null))).toEqual([]);
    expect(which(context({}, 'raw'))).toEqual(['refineError']);
    expect(which(context({}, 'markdown'))).toEqual([
      'refine',
      'check',
      'generateAssertions',
      'refineError'
    ]);
    expect(which(context({}))).toEqual([
      'refine',
      'check',
      'generateAssertions',
      'refineError'
    ]);
  });

  it('offers to refine another cell than the one that is refined', () => {
    const view = {
      session: running,
      target: { cellId: 'one' } as TargetView
    };
    const at = (activeCellId: string) =>
      enabled.refine({ ...context(view), activeCellId });
    expect(at('one')).toBe(false);
    expect(at('two')).toBe(true);
  });

  it('offers stop and pause, and no start, while a session runs', () => {
    expect(which(context({ session: running }))).toEqual(['stop', 'pause']);
    expect(which(context({ session: { ...running, paused: true } }))).toContain(
      'continue'
    );
  });

  it('treats a session cut off by a reload as ended', () => {
    expect(which(context({ session: running, interrupted: true }))).toEqual([
      'refine',
      'check',
      'generateAssertions',
      'refineError'
    ]);
  });

  it('goes on with a session that is paused or ended without a pass', () => {
    const model = { profile: 'p', model: 'm', host: 'h', recorded: false };
    const ended = { ...running, request: REQUEST, model, phase: 'ended' };
    const goesOn = (passed: boolean) =>
      which(
        context({
          session: {
            ...ended,
            outcome: { passed }
          } as unknown as SessionState
        })
      ).filter(name => name === 'continue');
    expect(goesOn(false)).toEqual(['continue']);
    expect(goesOn(true)).toEqual([]);
    expect(which(context({ session: { ...running, paused: true } }))).toContain(
      'continue'
    );
  });

  it('offers attempts that ran, and Restore after a write', () => {
    const attempt = {
      attempt: 1,
      code: 'x = 1',
      phase: 'ended',
      failure: null,
      execution: null
    } as AttemptState;
    const session = { ...running, attempts: [attempt] };
    expect(enabled.accept(context({ session }))).toBe(true);
    expect(
      enabled.accept(
        context({
          session: { ...running, attempts: [{ ...attempt, code: '' }] }
        })
      )
    ).toBe(false);
    const failure = { code: 'stopped', message: 'Stopped.' };
    expect(
      enabled.accept(
        context({
          session: { ...running, attempts: [{ ...attempt, failure }] }
        })
      )
    ).toBe(false);
    const accepted = { attempt: 1, status: 'ran', message: '' } as const;
    expect(enabled.restore(context({ accepted }))).toBe(true);
    expect(
      enabled.restore(
        context({ accepted: { ...accepted, status: 'restored' } })
      )
    ).toBe(false);
  });
});

const SOURCE =
  'import re\n\n@cache\ndef f(\n    a\n) -> int:\n    return a\n\nx = f(1)\n';

type Place = readonly [line: number, column: number];

const range = (from: Place, to: Place) => ({
  start: { line: from[0], column: from[1] },
  end: { line: to[0], column: to[1] }
});

describe('what is chosen', () => {
  it('is the lines that a selection touches, in either direction', () => {
    expect(choiceOf(SOURCE, range([3, 2], [6, 4]))).toEqual({
      first: 4,
      last: 7
    });
    expect(choiceOf(SOURCE, range([6, 4], [3, 2]))).toEqual({
      first: 4,
      last: 7
    });
    expect(choiceOf(SOURCE, range([8, 0], [8, 1]))).toEqual({
      first: 9,
      last: 9
    });
  });

  it('leaves the line out before whose first column it ends', () => {
    expect(choiceOf(SOURCE, range([0, 0], [1, 0]))).toEqual({
      first: 1,
      last: 1
    });
  });

  it('is nothing where only blank lines are selected', () => {
    expect(choiceOf(SOURCE, range([1, 0], [2, 0]))).toBeNull();
  });

  it('is nothing where there is only a cursor', () => {
    expect(choiceOf(SOURCE, range([3, 0], [3, 0]))).toBeNull();
  });
});

it('takes a line for an error only where all of it is selected', () => {
  const inLine = (from: number, to: number) =>
    wholeLines(SOURCE, range([6, from], [6, to]));
  expect(inLine(4, 10)).toBeNull();
  expect(inLine(4, 4)).toBeNull();
  expect(inLine(4, 12)).toEqual({ first: 7, last: 7 });
  expect(inLine(12, 0)).toEqual({ first: 7, last: 7 });
  expect(wholeLines(SOURCE, range([3, 3], [4, 2]))).toEqual({
    first: 4,
    last: 5
  });
});
