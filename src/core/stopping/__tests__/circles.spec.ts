import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { failureSignature } from '../signature';
import { circles, lastRestart, repeatedAttempt } from '../stuck';
import { visibleAttempt } from '../../domain/visible';
import type { AttemptState } from '../../events/state';
import { attemptOf, stateOf, verdictOf } from '../../__tests__/states';

const failing = (repr: string) =>
  fakeExecution({
    assertions: [
      fakeAssertion({
        outcome: 'failed',
        observed: { repr, type: 'int' }
      } as Parameters<typeof fakeAssertion>[0])
    ]
  });

describe('an attempt that is repeated', () => {
  const verdict = verdictOf();
  const found = (
    parts: Partial<AttemptState>,
    code = 'x = 1',
    before = 2,
    since = 0
  ) =>
    repeatedAttempt(
      stateOf([attemptOf(1, { verdict, ...parts })]),
      code,
      before,
      since
    )?.attempt ?? null;

  it('is the same program, spaces and comments aside', () => {
    expect(found({})).toBe(1);
    expect(found({}, 'x  =  1  # again')).toBe(1);
    expect(found({}, 'x = 2')).toBeNull();
  });

  it('has ended with a verdict that holds', () => {
    expect(found({ failure: { code: 'no-code', message: '' } })).toBeNull();
    expect(found({ verdict: null })).toBeNull();
    expect(found({ verdict: verdictOf({ evaluation: 'unknown' }) })).toBeNull();
    expect(found({ phase: 'judging' })).toBeNull();
  });

  it('was denied nothing', () => {
    expect(found({ execution: fakeExecution() })).toBe(1);
    expect(
      found({ execution: fakeExecution({ denied: ['network'] as never }) })
    ).toBeNull();
  });

  it('is an earlier one of this run', () => {
    expect(found({}, 'x = 1', 1)).toBeNull();
    expect(found({}, 'x = 1', 2, 1)).toBe(1);
    expect(found({}, 'x = 1', 3, 2)).toBeNull();
  });

  it('is looked for without a request, too', () => {
    const state = stateOf([attemptOf(1)], { request: null });
    expect(repeatedAttempt(state, 'x = 1', 2, 0)?.attempt).toBe(1);
  });
});

describe('circles', () => {
  const count = (
    attempts: readonly AttemptState[],
    enough = 1,
    restarts?: readonly number[]
  ) => circles(stateOf(attempts, { restarts }), enough);
  const repeat = (n: number, parts: Partial<AttemptState> = {}) =>
    attemptOf(n, { repeatOf: 1, ...parts });

  it('are repeats at the end', () => {
    expect(count([])).toBe(0);
    expect(count([attemptOf(1), repeat(2), repeat(3)])).toBe(2);
    expect(count([attemptOf(1), repeat(2), repeat(3)], 2)).toBe(2);
    expect(count([attemptOf(1), repeat(2), repeat(3)], 3)).toBe(0);
    expect(count([attemptOf(1), repeat(2), attemptOf(3)])).toBe(0);
  });

  it('do not count what the cell held, nor what has not ended', () => {
    expect(count([repeat(0), repeat(1)])).toBe(1);
    expect(count([repeat(1), repeat(2, { phase: 'running' })])).toBe(1);
  });

  it('begin anew with a fresh start', () => {
    expect(count([repeat(2), repeat(3), repeat(4)], 1, [3])).toBe(2);
    expect(count([repeat(2), repeat(3), repeat(4)], 1, [2, 4])).toBe(1);
    expect(lastRestart(stateOf([], { restarts: [2, 5] }))).toBe(5);
    expect(lastRestart(stateOf([]))).toBe(0);
  });

  it('are repeated failures; a new program has one more attempt', () => {
    const [a, b] = [failing('1'), failing('2')];
    const fail = (n: number, execution = a) => attemptOf(n, { execution });
    expect(count([fail(1), fail(2)])).toBe(0);
    expect(count([fail(1), fail(2), fail(3)])).toBe(2);
    expect(count([fail(1), fail(2, b), fail(3)], 0)).toBe(1);
    expect(count([fail(1), fail(2, b)], 0)).toBe(0);
    expect(count([fail(1), fail(2), repeat(3)], 2)).toBe(2);
  });

  it('are not made of attempts without a failure', () => {
    expect(count([attemptOf(1), attemptOf(2), attemptOf(3)], 0)).toBe(0);
  });

  it('count one of the candidates of a prompt', () => {
    const fail = (n: number, candidate?: number) =>
      attemptOf(n, { execution: failing('1'), candidate });
    expect(count([fail(1, 0), fail(2, 1), fail(3, 2)])).toBe(0);
    expect(count([fail(1, 0), fail(2, 1), fail(3), fail(4)])).toBe(2);
  });
});

describe('the signature of a failure', () => {
  const of = (parts: Partial<AttemptState>) =>
    failureSignature(visibleAttempt(attemptOf(1, parts)));
  const raised = (message: string, name = 'ValueError') =>
    of({
      execution: fakeExecution({
        status: 'error',
        error: { name, message, traceback: '' }
      })
    });

  it('is none where nothing failed', () => {
    expect(of({})).toBeNull();
    expect(of({ execution: fakeExecution() })).toBeNull();
    expect(
      of({ execution: fakeExecution({ assertions: [fakeAssertion()] }) })
    ).toBeNull();
  });

  it('is the code of a failure without a run', () => {
    expect(of({ failure: { code: 'no-code', message: 'm' } })).toBe(
      'failure no-code'
    );
  });

  it('does not hold addresses and line numbers', () => {
    expect(raised('<f at 0x7F3a> in line 12')).toBe(
      raised('<f at 0x11> in line 9')
    );
    expect(raised('deadline 12')).not.toBe(raised('deadline 13'));
    expect(raised('12')).not.toBe(raised('13'));
    expect(raised('m')).not.toBe(raised('m', 'TypeError'));
    expect(raised('a'.repeat(600))).toBe(raised('a'.repeat(700)));
  });

  it('holds the limit that cut it, and which statement gave what', () => {
    const cut = (stop: 'timeout' | 'memory') =>
      of({ execution: fakeExecution({ status: 'cut', stop }) });
    expect(cut('timeout')).not.toBe(cut('memory'));
    expect(of({ execution: failing('1') })).not.toBe(
      of({ execution: failing('2') })
    );
    expect(of({ execution: failing('<f at 0x1>') })).toBe(
      of({ execution: failing('<f at 0x2>') })
    );
    const error = (outcome: 'error' | 'failed', message?: string) =>
      of({
        execution: fakeExecution({
          assertions: [
            fakeAssertion({
              outcome,
              ...(message === undefined
                ? {}
                : { error: { name: 'E', message, traceback: '' } })
            })
          ]
        })
      });
    expect(error('error')).not.toBeNull();
    expect(error('error')).not.toBe(error('failed'));
    expect(error('error', 'a')).not.toBe(error('error', 'b'));
  });
});
