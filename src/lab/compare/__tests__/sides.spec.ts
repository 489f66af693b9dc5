import { nullTranslator } from '@jupyterlab/translation';
import { initialState } from '../../../core/events/fold';
import { NO_USAGE } from '../../../core/domain/model';
import type { AttemptState, SessionState } from '../../../core/events/state';
import { fakeExecution } from '../../../testing/fakeExecutor';
import { pairOf, sidesOf } from '../sides';

const trans = nullTranslator.load('jupyterlab_refine');

function attempt(number: number, code: string): AttemptState {
  return {
    attempt: number,
    phase: 'ended',
    prompt: [],
    thoughts: '',
    code,
    title: '',
    assertions: [],
    output: '',
    execution: null,
    verdict: null,
    feedback: null,
    usage: NO_USAGE,
    durationMs: null,
    best: false,
    repeatOf: null,
    failure: null
  };
}

const session = (...attempts: AttemptState[]): SessionState => ({
  ...initialState('s'),
  attempts
});

const ids = (...args: Parameters<typeof sidesOf>) =>
  sidesOf(...args).map(({ id }) => id);

describe('sidesOf', () => {
  it('lists attempts that have code, and the cell last', () => {
    const state = session(attempt(0, 'a'), attempt(1, ''), attempt(2, 'b'));
    expect(ids(state, 'now', trans)).toEqual([0, 2, 'cell']);
  });

  it('leaves out a cell that was deleted', () => {
    expect(ids(session(attempt(1, 'a')), null, trans)).toEqual([1]);
  });

  it('offers an empty cell', () => {
    const sides = sidesOf(session(attempt(1, 'a')), '', trans);
    expect(sides[1]).toMatchObject({ id: 'cell', code: '' });
  });

  it('counts as the row of the attempt does: hold-outs apart', () => {
    const checked = {
      ...attempt(1, 'a'),
      assertions: (['assertion', 'holdout'] as const).map(role => ({
        ...fakeExecution().assertions[0],
        role,
        outcome: 'failed' as const
      }))
    } as AttemptState;
    const [side] = sidesOf(session(checked), null, trans);
    expect(side.label).toBe('Attempt 1 · 0 of 1');
  });

  it('leaves out an attempt that is being written', () => {
    const writing = { ...attempt(1, 'a'), phase: 'writing' as const };
    expect(sidesOf(session(writing), null, trans)).toEqual([]);
  });
});

describe('pairOf', () => {
  const sides = sidesOf(
    session(attempt(0, 'a'), attempt(1, 'b'), attempt(2, 'c')),
    'now',
    trans
  );

  it('takes the newest attempt and the one before it', () => {
    expect(pairOf(sides, {})).toEqual({ left: 1, right: 2 });
  });

  it('takes the attempt before the one asked for', () => {
    expect(pairOf(sides, { right: 1 })).toEqual({ left: 0, right: 1 });
  });

  it('takes another text for the first attempt', () => {
    expect(pairOf(sides, { right: 0 })).toEqual({ left: 1, right: 0 });
  });

  it('takes both sides as asked, the same one included', () => {
    expect(pairOf(sides, { left: 'cell', right: 2 })).toEqual({
      left: 'cell',
      right: 2
    });
    expect(pairOf(sides, { left: 2, right: 2 })).toEqual({
      left: 2,
      right: 2
    });
  });

  it('replaces numbers that name no attempt', () => {
    expect(pairOf(sides, { left: 9, right: 7 })).toEqual({
      left: 1,
      right: 2
    });
  });

  it('gives none where there is nothing to compare with', () => {
    const one = sidesOf(session(attempt(1, 'a')), null, trans);
    expect(pairOf(one, {})).toBeNull();
    expect(pairOf([], {})).toBeNull();
  });

  it('compares the only attempt with the cell', () => {
    const two = sidesOf(session(attempt(1, 'a')), 'now', trans);
    expect(pairOf(two, {})).toEqual({ left: 'cell', right: 1 });
  });
});
