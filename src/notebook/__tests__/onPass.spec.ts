/** @jest-environment node */
import type { Execution } from '../../core/domain/execution';
import { fakeAssertion, fakeExecution } from '../../testing/fakeExecutor';
import { english } from '../../core/text/english';
import { decideOnPass as decide } from '../onPass';

const clean = fakeExecution();
const RUN = { action: 'run', doubts: [] };

const decideOnPass = (
  onPass: Parameters<typeof decide>[0],
  execution: Execution | null,
  allowed = {}
) => decide(onPass, execution, english, allowed);

const isolated = (change: Partial<Execution['isolation']>): Execution => ({
  ...clean,
  isolation: { ...clean.isolation, ...change }
});

describe('onPass', () => {
  it('runs a cell whose isolated attempt had no effects', () => {
    expect(decideOnPass('auto', clean)).toEqual(RUN);
    expect(decideOnPass('auto', isolated({ files: 'denied' }))).toEqual(RUN);
  });

  it.each([
    [
      'The attempt ran in the live kernel',
      isolated({ mode: 'live', memory: false })
    ],
    ['file writes could not be isolated', isolated({ files: 'open' })],
    ['could reach the network', isolated({ network: false })],
    ['wrote out.csv', { ...clean, filesWritten: ['out.csv'] }],
    [
      'tried to reach example.org:443',
      { ...clean, denied: ['tried to reach example.org:443'] }
    ]
  ])('asks because of %s', (doubt, execution) => {
    const decision = decideOnPass('auto', execution);
    expect(decision).toEqual({
      action: 'ask',
      doubts: [expect.stringContaining(doubt)]
    });
  });

  it('asks where all checks hold for an empty cell', () => {
    const check = fakeAssertion({ confirmed: true });
    const held = { ...check, holdsEmpty: true };
    const given = (...assertions: Execution['assertions']) =>
      decideOnPass('auto', { ...clean, assertions });
    expect(given(held, check)).toEqual(RUN);
    expect(given(held, held)).toEqual({
      action: 'ask',
      doubts: [expect.stringContaining('hold without this code')]
    });
  });

  it('asks where a check is not confirmed, and lists each', () => {
    const check = fakeAssertion({ confirmed: undefined });
    const given = (...assertions: Execution['assertions']) => ({
      ...clean,
      assertions
    });
    expect(decideOnPass('auto', given({ ...check, confirmed: true }))).toEqual(
      RUN
    );
    const open = given({ ...check, confirmed: false, unconfirmed: 'why' });
    expect(decideOnPass('auto', open, { live: true })).toEqual({
      action: 'ask',
      doubts: [expect.stringContaining('why')]
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
      action: 'insert',
      doubts: []
    });
    expect(decideOnPass('ask', clean)).toEqual({ action: 'ask', doubts: [] });
  });

  it.each([
    [isolated({ mode: 'live', memory: false }), { live: true }],
    [isolated({ files: 'open' }), { files: true }],
    [isolated({ network: false }), { network: true }]
  ])('does not ask again for what was allowed for real', (given, allowed) => {
    expect(decideOnPass('auto', given).action).toBe('ask');
    expect(decideOnPass('auto', given, allowed)).toEqual(RUN);
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
