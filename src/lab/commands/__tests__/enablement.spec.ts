/** @jest-environment node */
import { initialState } from '../../../core/events/fold';
import type { AttemptState, SessionState } from '../../../core/events/state';
import type { RefineRequest } from '../../../core/domain/request';
import type { RefineView, TargetView } from '../../../tokens';
import { enabled, enablementKey, type CommandContext } from '../enablement';

const idle: RefineView = {
  target: null,
  models: { status: 'loading' },
  isolation: null,
  session: null,
  question: null,
  accepted: null,
  cleanCheck: null,
  interrupted: false,
  notice: null
};

const REQUEST = {} as RefineRequest;

const running: SessionState = initialState('s');

const context = (
  view: Partial<RefineView>,
  activeCell: CommandContext['activeCell'] = 'code'
): CommandContext => ({ view: { ...idle, ...view }, activeCell });

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

  it('has a key that changes with what is enabled only', () => {
    const before = context({ session: running });
    const after = context({ session: { ...running, lastAt: 5 } });
    expect(enablementKey(after)).toBe(enablementKey(before));
    expect(enablementKey(context({}))).not.toBe(enablementKey(before));
  });
});
