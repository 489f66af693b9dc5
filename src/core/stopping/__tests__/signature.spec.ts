import { fakeAssertion, fakeExecution } from '../../../testing/fakeExecutor';
import { failureSignature } from '../signature';
import { visibleAttempt } from '../../domain/visible';
import type { AttemptState } from '../../events/state';
import { attemptOf } from '../../__tests__/states';

const failing = (repr: string) =>
  fakeExecution({
    assertions: [
      fakeAssertion({
        outcome: 'failed',
        observed: { repr, type: 'int' }
      } as Parameters<typeof fakeAssertion>[0])
    ]
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
