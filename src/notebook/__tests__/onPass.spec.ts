/** @jest-environment node */
import type { Execution } from '../../core/domain/execution';
import { fakeAssertion, fakeExecution } from '../../testing/fakeExecutor';
import { decideOnPass } from '../onPass';

const clean = fakeExecution();

const isolated = (change: Partial<Execution['isolation']>): Execution => ({
  ...clean,
  isolation: { ...clean.isolation, ...change }
});

describe('onPass', () => {
  it('runs a cell whose isolated attempt had no effects', () => {
    expect(decideOnPass('auto', clean)).toEqual({ action: 'run' });
    expect(decideOnPass('auto', isolated({ files: 'denied' }))).toEqual({
      action: 'run'
    });
  });

  it.each([
    ['not-isolated', isolated({ mode: 'live', memory: false })],
    ['files-open', isolated({ files: 'open' })],
    ['network-open', isolated({ network: false })],
    ['wrote', { ...clean, filesWritten: ['out.csv'] }],
    ['denied', { ...clean, denied: ['tried to reach example.org:443'] }]
  ])('asks because of %s, and says so', (type, execution) => {
    const decision = decideOnPass('auto', execution);
    expect(decision).toMatchObject({ action: 'ask', doubts: [{ type }] });
  });

  it('asks where a check is not confirmed, and lists each', () => {
    const check = fakeAssertion({ confirmed: undefined });
    const given = (...assertions: Execution['assertions']) => ({
      ...clean,
      assertions
    });
    expect(decideOnPass('auto', given({ ...check, confirmed: true }))).toEqual({
      action: 'run'
    });
    const open = given({ ...check, confirmed: false, unconfirmed: 'why' });
    expect(decideOnPass('auto', open, { live: true })).toMatchObject({
      action: 'ask',
      doubts: [
        {
          type: 'not-confirmed',
          confirmation: { reasons: [{ reason: 'why' }] }
        }
      ]
    });
    // Where the user chose the kernel itself, there is no separate process.
    expect(decideOnPass('auto', given(check)).action).toBe('ask');
    expect(decideOnPass('auto', given(check), { live: true }).action).toBe(
      'run'
    );
  });

  it('never runs unasked what has no record of an execution', () => {
    expect(decideOnPass('auto', null).action).toBe('ask');
  });

  it('only writes with insert, and always asks with ask', () => {
    expect(decideOnPass('insert', isolated({ mode: 'live' }))).toEqual({
      action: 'insert'
    });
    expect(decideOnPass('ask', clean)).toEqual({ action: 'ask', doubts: [] });
  });

  it.each([
    [isolated({ mode: 'live', memory: false }), { live: true }],
    [isolated({ files: 'open' }), { files: true }],
    [isolated({ network: false }), { network: true }]
  ])('does not ask again for what was allowed for real', (given, allowed) => {
    expect(decideOnPass('auto', given).action).toBe('ask');
    expect(decideOnPass('auto', given, allowed)).toEqual({ action: 'run' });
    expect(decideOnPass('ask', given, allowed)).toEqual({
      action: 'ask',
      doubts: []
    });
  });

  it('asks for what an attempt did, whatever was allowed', () => {
    const allowed = { live: true, files: true, network: true };
    const given = { ...clean, filesWritten: ['out.csv'] };
    expect(decideOnPass('auto', given, allowed).action).toBe('ask');
  });
});
