/**
 * Running accepted cells for real, in a kernel of a real server.
 *
 * @jest-environment node
 */
import { systemClock } from '../../../core/clock';
import { LiveKernel } from '../liveKernel';
import { JupyterServer } from '../../../kernel/__tests__/jupyterServer';

jest.setTimeout(60_000);

let server: JupyterServer;
const { signal } = new AbortController();

beforeAll(async () => {
  server = await JupyterServer.start();
});

afterAll(() => server.stop());

function start(): Promise<LiveKernel> {
  return LiveKernel.start(
    server.settings,
    { name: null, folder: null },
    { clock: systemClock, signal, onFull: () => undefined }
  );
}

it('says so when a cell left a kernel that takes no request', async () => {
  const kernel = await start();
  await kernel.ready(signal);
  const broken = await kernel.run(
    "import json\njson.decoder.JSONDecoder.decode = lambda *a, **k: {'a': 1}",
    signal
  );
  expect(broken.error).toBeNull();
  await expect(kernel.run('assert True', signal)).rejects.toMatchObject({
    code: 'kernel-silent'
  });
  await kernel.shutdown();
});

it('waits for a cell that has started, however long it takes', async () => {
  const kernel = await start();
  await kernel.ready(signal);
  const slow = await kernel.run('import time\ntime.sleep(11)', signal);
  expect(slow.error).toBeNull();
  await kernel.shutdown();
});
