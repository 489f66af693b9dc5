import { nullTranslator } from '@jupyterlab/translation';
import { initialState } from '../../../../core/events/fold';
import type { SessionState } from '../../../../core/events/state';
import { acceptedNow, type CellNow, type Noted } from '../acceptedNow';

const START = '# one';
const CODE = 'one = 1';

const trans = nullTranslator.load('jupyterlab_refine');

const session = {
  ...initialState('s'),
  request: {
    language: 'python',
    target: { cellId: 'cell1', index: 1, kind: 'code', source: START }
  },
  attempts: [
    { attempt: 1, code: 'one = 0' },
    { attempt: 2, code: CODE }
  ]
} as unknown as SessionState;

function now(held: string, change: Partial<CellNow> = {}): CellNow {
  return {
    held,
    before: START,
    written: CODE,
    isPaused: false,
    hasRun: false,
    label: 'cell 2',
    ...change
  };
}

function noted(status: 'restored' | 'ran' | 'edited'): Noted {
  return { session, state: { attempt: 2, status, message: 'As noted.' } };
}

describe('acceptedNow', () => {
  it.each([
    ['restored', START, 'restored', 'As noted.'],
    ['restored', CODE, 'inserted', 'Cell 2 contains attempt 2.'],
    ['restored', 'one = 0', 'inserted', 'Cell 2 contains attempt 1.'],
    [
      'restored',
      'mine',
      'restored',
      'Cell 2 was edited after it was restored.'
    ],
    ['ran', CODE, 'ran', 'As noted.'],
    ['ran', START, 'restored', 'Cell 2 contains its earlier code again.'],
    ['ran', 'one = 0', 'inserted', 'Cell 2 contains attempt 1.'],
    ['ran', 'mine', 'ran', 'As noted.'],
    ['edited', 'mine', 'edited', 'As noted.']
  ] as const)('was %s and holds %j: %s, %s', (was, held, status, message) => {
    expect(acceptedNow(noted(was), now(held), trans)).toMatchObject({
      status,
      message
    });
  });

  it('knows undo after a partial review', () => {
    const partly = now('one = 2', { written: 'one = 2' });
    expect(acceptedNow(noted('restored'), partly, trans).message).toBe(
      'Cell 2 contains attempt 2.'
    );
  });

  it.each([
    [
      { isPaused: true },
      'Written to cell 2, not run. Continue in the debugger, then run the cell.'
    ],
    [{}, 'Written to cell 2, not run.'],
    [{ hasRun: true }, 'Written to cell 2. You have run it since.']
  ])('follows debugger and runs: %j', (change, message) => {
    const inserted: Noted = {
      session,
      state: { attempt: 2, status: 'inserted', message: '' },
      inserted: { isText: false, partly: false, keepsEdits: false }
    };
    expect(acceptedNow(inserted, now(CODE, change), trans).message).toBe(
      message
    );
  });
});
