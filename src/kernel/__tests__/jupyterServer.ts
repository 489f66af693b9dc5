/** A Jupyter Server of the test's own, on a free port, ended with it; jobs and cells for its kernels. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  KernelAPI,
  KernelConnection,
  ServerConnection,
  type Kernel
} from '@jupyterlab/services';
import WebSocket from 'ws';
import type { ExecutionJob } from '../../core/domain/executor';

const ROOT = resolve(__dirname, '..', '..', '..');
const TOKEN = 'integration-test';
const READY_MS = 60_000;

export class JupyterServer {
  /** Start the server of the checkout's environment, without extensions, or with ours and these arguments for it. */
  static async start(
    args?: readonly string[],
    environment: Readonly<Record<string, string>> = {}
  ): Promise<JupyterServer> {
    // JupyterLab's services log each connection.
    console.debug = () => undefined;
    console.warn = () => undefined;
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'refine-kernel-'));
    const child = spawn(
      join(ROOT, '.venv', 'bin', 'jupyter-server'),
      [
        `--ServerApp.port=${port}`,
        '--ServerApp.port_retries=0',
        '--ServerApp.ip=127.0.0.1',
        `--ServerApp.root_dir=${folder}`,
        `--IdentityProvider.token=${TOKEN}`,
        '--ServerApp.open_browser=False',
        '--ServerApp.allow_root=True',
        `--ServerApp.jpserver_extensions={${args ? "'jupyterlab_refine': True" : ''}}`,
        ...(args ?? [])
      ],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          ...process.env,
          ...environment,
          JUPYTER_CONFIG_DIR: folder,
          JUPYTER_DATA_DIR: folder,
          JUPYTER_RUNTIME_DIR: folder,
          JUPYTER_NO_CONFIG: '1'
        }
      }
    );
    const server = new JupyterServer(child, folder, port);
    await server._ready();
    return server;
  }

  readonly settings: ServerConnection.ISettings;

  /** What the server wrote. */
  get log(): string {
    return this._log;
  }

  /** A new kernel whose first status has arrived. */
  async startKernel(): Promise<Kernel.IKernelConnection> {
    // Without a manager: its poll keeps Node alive for 10 s after it was disposed.
    const model = await KernelAPI.startNew({ name: 'python3' }, this.settings);
    const kernel = new KernelConnection({
      model,
      serverSettings: this.settings
    });
    await kernel.info;
    this._connections.push(kernel);
    return kernel;
  }

  async stop(): Promise<void> {
    this._connections.forEach(kernel => kernel.dispose());
    const exited = new Promise(done => this._child.once('exit', done));
    this._child.kill('SIGTERM');
    const killer = setTimeout(() => this._child.kill('SIGKILL'), 5000);
    await exited;
    clearTimeout(killer);
    rmSync(this._folder, { recursive: true, force: true });
  }

  private constructor(
    private readonly _child: ChildProcess,
    private readonly _folder: string,
    port: number
  ) {
    _child.stderr?.on('data', data => (this._log += data));
    this.settings = ServerConnection.makeSettings({
      baseUrl: `http://127.0.0.1:${port}`,
      wsUrl: `ws://127.0.0.1:${port}`,
      token: TOKEN,
      appendToken: true,
      WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
      fetch,
      Request,
      Headers
    });
  }

  private async _ready(): Promise<void> {
    const end = Date.now() + READY_MS;
    for (;;) {
      const answer = await fetch(
        `${this.settings.baseUrl}api/status?token=${TOKEN}`
      ).catch(() => null);
      if (answer?.ok) {
        return;
      }
      if (this._child.exitCode !== null || Date.now() > end) {
        throw new Error(`the Jupyter Server did not start:\n${this._log}`);
      }
      await new Promise(done => setTimeout(done, 200));
    }
  }

  private readonly _connections: Kernel.IKernelConnection[] = [];
  private _log = '';
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        done(typeof address === 'object' && address !== null ? address.port : 0)
      );
    });
  });
}

let jobs = 0;

export function job(
  candidate: string,
  check: string,
  seconds = 20
): ExecutionJob {
  return {
    id: `job${jobs++}`,
    candidate,
    assertions: [
      { cellId: 'c', index: 1, role: 'assertion', source: check, statements: 1 }
    ],
    holdouts: [],
    limits: { seconds },
    contextValues: 'types',
    allowNetwork: false,
    allowWrites: false
  };
}

/** Run a cell as a user does: what it prints, or the name of its error. */
export async function runCell(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<string> {
  const future = kernel.requestExecute({ code });
  let text = '';
  future.onIOPub = message => {
    const content = message.content as { text?: string; ename?: string };
    text += content.text ?? content.ename ?? '';
  };
  await future.done;
  return text.trim();
}

export function pause(ms: number): Promise<void> {
  return new Promise(done => setTimeout(done, ms));
}

/** Wait for `condition`; the test's own limit bounds it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await pause(20);
  }
}
