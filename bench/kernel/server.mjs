/** A Jupyter Server for a benchmark, on a free port, with the websocket fix on or off. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const TOKEN = 'bench';
const READY_MS = 240_000;

/**
 * @param {string} program The `jupyter-server` to start.
 * @param {{nodelay: boolean, env?: Record<string, string>}} options
 * @returns {Promise<{baseUrl: string, token: string, stop: () => Promise<void>}>}
 */
export async function startServer(program, { nodelay, env = {} }) {
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
      "--ServerApp.jpserver_extensions={'jupyterlab_refine': True}",
      `--Refine.websocket_nodelay=${nodelay ? 'True' : 'False'}`
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
