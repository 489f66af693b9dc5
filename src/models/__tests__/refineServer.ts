/** A real Jupyter server of the checkout's environment, with or without our extension. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ServerConnection } from '@jupyterlab/services';

const PROGRAM = resolve('.venv', 'bin', 'jupyter-server');
const TOKEN = 'models-integration';
const START_LIMIT_MS = 60_000;

export class RefineServer {
  /**
   * @param config - Python lines of a configuration file, `c.Refine.…`.
   * @param environment - Added to the server's environment.
   */
  static async start(
    config: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    extension = true
  ): Promise<RefineServer> {
    const folder = mkdtempSync(join(tmpdir(), 'refine-models-'));
    const file = join(folder, 'config.py');
    const port = await freePort();
    const lines = [
      `c.ServerApp.jpserver_extensions = {'jupyterlab_refine': ${extension ? 'True' : 'False'}}`,
      `c.ServerApp.port = ${port}`,
      'c.ServerApp.port_retries = 0',
      "c.ServerApp.ip = '127.0.0.1'",
      'c.ServerApp.allow_root = True',
      'c.ServerApp.open_browser = False',
      `c.ServerApp.root_dir = ${JSON.stringify(folder)}`,
      `c.IdentityProvider.token = '${TOKEN}'`,
      ...config
    ];
    writeFileSync(file, lines.join('\n'));
    const child = spawn(PROGRAM, [`--config=${file}`, '--debug'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...environment,
        JUPYTER_CONFIG_DIR: folder,
        JUPYTER_DATA_DIR: folder,
        JUPYTER_RUNTIME_DIR: folder
      }
    });
    const server = new RefineServer(child, folder, port);
    await server._ready();
    return server;
  }

  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    port: number
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (data: Buffer) => {
        this._log += data.toString('utf8');
      });
    }
    child.once('error', error => {
      this._log += `${PROGRAM}: ${error.message}`;
      this._failed = true;
    });
    this.settings = ServerConnection.makeSettings({
      baseUrl: `http://127.0.0.1:${port}/`,
      token: TOKEN
    });
  }

  readonly settings: ServerConnection.ISettings;

  /** Everything that the server wrote, at log level DEBUG. */
  get log(): string {
    return this._log;
  }

  async stop(): Promise<void> {
    if (!this._failed && this.child.exitCode === null) {
      const exited = new Promise(done => this.child.once('exit', done));
      this.child.kill('SIGTERM');
      const killer = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
      await exited;
      clearTimeout(killer);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async _ready(): Promise<void> {
    const end = Date.now() + START_LIMIT_MS;
    const url = `${this.settings.baseUrl}api/status?token=${TOKEN}`;
    for (;;) {
      const answer = await fetch(url).catch(() => null);
      if (answer?.ok) {
        return;
      }
      if (this._failed || this.child.exitCode !== null || Date.now() > end) {
        throw new Error(`The Jupyter server did not start:\n${this._log}`);
      }
      await new Promise(done => setTimeout(done, 100));
    }
  }

  private _log = '';
  private _failed = false;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer();
    probe.once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => done(port));
    });
  });
}
