/** @jest-environment node */
import { RefineError } from '../../core/errors';
import type { ScriptedAnswer } from '../../testing/scriptedServer';
import { Bench, failing, FIB } from './support';

let bench: Bench;
let logged: jest.SpyInstance;

// Before any call: the client keeps the console that it finds at its first one.
beforeAll(() => {
  logged = jest.spyOn(console, 'error').mockImplementation();
});
afterEach(async () => {
  await bench.server.close();
  // What it would print are bodies, and with them notebooks.
  expect(logged).not.toHaveBeenCalled();
});
afterAll(() => logged.mockRestore());

async function errorOf(answer: ScriptedAnswer) {
  bench = await Bench.open([{ times: 0, ...answer }]);
  const { error } = await failing(bench.model({ maxRetries: 0 }));
  expect(error).toBeInstanceOf(RefineError);
  expect(error.message).toContain(bench.server.host);
  return error;
}

describe('a stream that breaks', () => {
  it('a line that is not JSON', async () => {
    const error = await errorOf({
      text: FIB,
      fault: { type: 'malformed', afterTokens: 2 }
    });
    expect(error.code).toBe('stream-cut');
    expect(error.message).toContain('broke off after 8 characters');
  });

  it.each<[string, unknown, string]>([
    [
      'with a code of ours',
      { message: 'boom', code: 'provider-error' },
      'provider-error'
    ],
    ['of another shape', 'upstream died', 'not-an-api']
  ])('an error object %s', async (_, error, code) => {
    bench = await Bench.open([
      { text: FIB, fault: { type: 'stream-error', afterTokens: 2, error } }
    ]);
    const failed = await failing(bench.model({ maxRetries: 0 }));
    expect(failed.error.code).toBe(code);
  });
});
