/** A Python kernel of a server of its own, and the product's fork executor on it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const SERVER = join(ROOT, '.venv', 'bin', 'jupyter-server');
const TOKEN = 'bench';
const READY_MS = 240_000;

/**
 * @param {object} product What `loadProduct` gave.
 * @param {string} program The `jupyter-server` to start.
 * @param {{env?: Record<string, string>, prepare?: string, isolation?: string}} options
 * `prepare`: code that the kernel runs before the executor sees it.
 * @returns {Promise<{kernel: object, executor: object, stop: () => Promise<void>}>}
 */
export async function attach(
  product,
  program,
  { prepare = '', isolation = 'fork', ...options }
) {
  const server = await startServer(program, options);
  try {
    const serverSettings = product.ServerConnection.makeSettings({
      baseUrl: server.baseUrl,
      wsUrl: server.baseUrl.replace('http', 'ws'),
      token: server.token,
      appendToken: true,
      WebSocket,
      fetch,
      Request,
      Headers
    });
    const model = await product.KernelAPI.startNew(
      { name: 'python3' },
      serverSettings
    );
    const kernel = new product.KernelConnection({ model, serverSettings });
    await kernel.info;
    await kernel.requestExecute({ code: prepare }).done;
    const executor = await product.createExecutor(kernel, {
      isolation,
      allowLive: () => Promise.resolve(false)
    });
    return {
      kernel,
      executor,
      stop: async () => {
        executor.dispose();
        await kernel.shutdown();
        kernel.dispose();
        await server.stop();
      }
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * @param {string} program The `jupyter-server` to start.
 * @param {{env?: Record<string, string>}} options
 * @returns {Promise<{baseUrl: string, token: string, stop: () => Promise<void>}>}
 */
async function startServer(program, { env = {} }) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'refine-bench-'));
  const child = spawn(
    program,
    [
      `--ServerApp.port=${port}`,
      '--ServerApp.port_retries=0',
      '--ServerApp.ip=127.0.0.1',
      `--ServerApp.root_dir=${folder}`,
      `--IdentityProvider.token=${TOKEN}`,
      '--ServerApp.open_browser=False',
      '--ServerApp.allow_root=True',
      "--ServerApp.jpserver_extensions={'jupyterlab_refine': True}"
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        ...process.env,
        ...env,
        JUPYTER_CONFIG_DIR: folder,
        JUPYTER_RUNTIME_DIR: folder
      }
    }
  );
  let log = '';
  child.stderr.on('data', data => (log += data));
  const exited = new Promise(done => child.once('exit', done));
  const baseUrl = `http://127.0.0.1:${port}/`;
  const stop = async () => {
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await exited;
    clearTimeout(killer);
    rmSync(folder, { recursive: true, force: true });
  };
  const end = Date.now() + READY_MS;
  for (;;) {
    const answer = await fetch(`${baseUrl}api/status?token=${TOKEN}`).catch(
      () => null
    );
    if (answer?.ok) {
      return { baseUrl, token: TOKEN, stop };
    }
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(
        `the Jupyter Server did not start within ${READY_MS / 1000} s:\n${log}`
      );
    }
    await new Promise(done => setTimeout(done, 200));
  }
}

function freePort() {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => done(port));
    });
  });
}
