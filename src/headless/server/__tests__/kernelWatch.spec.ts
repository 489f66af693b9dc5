/** @jest-environment node */
import { RefineError } from '../../../core/errors';
import { FakeClock } from '../../../testing/fakeClock';
import { connectionSettings } from '../jupyterServer';
import { KernelWatch } from '../kernelWatch';

const ALIVE = {
  id: 'k1',
  name: 'python3',
  last_activity: '2026-01-01T00:00:00Z',
  connections: 0,
  execution_state: 'idle'
};
const REFUSED = new TypeError('connect ECONNREFUSED');
const NEVER = new Promise<Response>(() => undefined);

/** What a watch reports when the server gives these replies in turn, the last one for ever. */
async function watched(
  ...replies: readonly (number | Error | Promise<Response>)[]
): Promise<RefineError | null> {
  let asked = 0;
  const settings = {
    ...connectionSettings('http://hub.example/', 'token'),
    fetch: async () => {
      const reply = replies[Math.min(asked++, replies.length - 1)]!;
      if (reply instanceof Error) {
        throw reply;
      }
      return typeof reply === 'number'
        ? new Response(JSON.stringify(ALIVE), { status: reply })
        : reply;
    }
  };
  const clock = new FakeClock();
  const watch = new KernelWatch(settings, 'k1', clock);
  for (let second = 0; second < 60 && !watch.signal.aborted; second++) {
    await clock.advance(1000);
  }
  watch.dispose();
  await clock.advance(1000);
  expect(clock.sleeping).toBe(0);
  return watch.signal.aborted ? (watch.signal.reason as RefineError) : null;
}

it.each([
  ['lives', [200], null],
  ['lives, behind a proxy that fails twice', [502, REFUSED, 200], null],
  ['is gone', [200, 404], 'kernel-dead'],
  ['is on a server that refuses connections', [200, REFUSED], 'unreachable'],
  ['is on a server that does not answer', [200, NEVER], 'unreachable'],
  ['is behind a proxy without a server', [502], 'unreachable']
])('reports of a kernel that %s', async (_, replies, code) => {
  expect((await watched(...replies))?.code ?? null).toBe(code);
});

it('names the server', async () => {
  expect((await watched(REFUSED))?.message).toBe(
    'The Jupyter server at http://hub.example/ does not answer any more.'
  );
});
