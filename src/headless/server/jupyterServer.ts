/** The Jupyter server that a run uses: one of its own on a loopback port, or a given one. */
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { ServerConnection } from '@jupyterlab/services';
import WebSocket from 'ws';
import { RefineError } from '../../core/errors';
import { untilAborted } from '../../core/session/abort';
import type { CommandLinePorts, NotebookCommand } from '../cli/commands';
import { commonFolder } from '../files/wholeFile';
import type { Progress } from '../report/progress';
import { kernelEnvironment } from './liveKernel';
import { PythonProcess } from './pythonProcess';
import { fetchWithReason } from './requests';

export interface IJupyterServer {
  readonly settings: ServerConnection.ISettings;
  /** Absolute folder of this machine under which kernels start; null for a given server. */
  readonly root: string | null;
  /** Variables for kernels of a given server, as Jupyter's gateway clients send them. */
  readonly kernelEnvironment: Readonly<Record<string, string>>;
  /** Stops an own server and its kernels; leaves a given one alone. Safe to call twice. */
  stop(): Promise<void>;
}

type ServerPorts = Pick<CommandLinePorts, 'environment' | 'signal'>;

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;

/** Settings for a server; requests show the token in a header. */
export function connectionSettings(
  url: string,
  token: string
): ServerConnection.ISettings {
  const baseUrl = url.endsWith('/') ? url : `${url}/`;
  return ServerConnection.makeSettings({
    baseUrl,
    wsUrl: baseUrl.replace(/^http/, 'ws'),
    token,
    appendToken: true,
    init: { cache: 'no-store' },
    fetch: fetchWithReason,
    // The DOM's WebSocket type has members for events that no caller here uses.
    WebSocket: WebSocket as unknown as ServerConnection.ISettings['WebSocket']
  });
}

/**
 * Start a Jupyter server of our own, with our extension only.
 *
 * @param root - absolute path of the folder that kernels may start in.
 * @param baseUrl - of an OpenAI-compatible server, used instead of all profiles; null: the profiles.
 * @throws RefineError kind `config` when it does not start, with what it logged.
 */
async function startOwnServer(
  root: string,
  baseUrl: string | null,
  { environment, signal }: ServerPorts
): Promise<IJupyterServer> {
  const token = randomBytes(24).toString('hex');
  const profilesFromEnvironment = baseUrl !== null;
  const input = { token, root, profilesFromEnvironment };
  const server = new PythonProcess(
    ['-c', SERVER_PROGRAM],
    {
      ...environment,
      ...(baseUrl === null ? {} : { OPENAI_BASE_URL: baseUrl })
    },
    ['pipe', 'pipe', 'pipe'],
    root
  );
  server.child.stdin?.write(`${JSON.stringify(input)}\n`);
  const stop = () => server.stop(STOP_LIMIT_MS);
  try {
    const port = await listening(server, signal);
    return {
      settings: connectionSettings(`http://127.0.0.1:${port}/`, token),
      root,
      kernelEnvironment: {},
      stop
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The port, once it listens. @throws RefineError kind `config`, with what it logged; the signal's reason when aborted. */
async function listening(
  server: PythonProcess,
  signal: AbortSignal
): Promise<number> {
  const limit = AbortSignal.timeout(START_LIMIT_MS);
  const port = new Promise<number>(resolve => {
    createInterface({ input: server.child.stdout! }).on('line', line => {
      const [, found] = /^refine: listening at (\d+)$/.exec(line) ?? [];
      if (found) {
        resolve(Number(found));
      }
    });
  });
  const ended = server.gone.then(why => {
    throw new Error(why);
  });
  try {
    const end = AbortSignal.any([signal, limit]);
    return await untilAborted(Promise.race([port, ended]), end);
  } catch (error) {
    signal.throwIfAborted();
    const why = limit.aborted
      ? `it was not ready within ${START_LIMIT_MS / 1000} s`
      : (error as Error).message;
    const message = `The Jupyter server could not be started with ${server.program}: ${why}. Set REFINE_PYTHON to a Python that has jupyterlab-refine.`;
    throw new RefineError(
      'config',
      [message, server.log].filter(Boolean).join('\n')
    );
  }
}

/** The servers of a command: the given one, or one that is started when it is first needed. */
export class LazyServer {
  constructor(
    private readonly _command: NotebookCommand,
    private readonly _ports: ServerPorts,
    private readonly _progress: Progress
  ) {}

  /** Where kernels run. @throws RefineError kind `config` when one does not start, with what it logged. */
  get(): Promise<IJupyterServer> {
    const { server } = this._command;
    this._kernels ??= server
      ? Promise.resolve({
          settings: connectionSettings(server.url, server.token),
          root: null,
          kernelEnvironment: kernelEnvironment(this._ports.environment),
          stop: () => Promise.resolve()
        })
      : this._startOwn();
    return this._kernels;
  }

  /** That has the models: with a base URL always one of our own, so that a given one needs no extension of ours. */
  models(): Promise<IJupyterServer> {
    const { server } = this._command;
    if (server === null || this._command.baseUrl === null) {
      return this.get();
    }
    this._models ??= this._startOwn();
    return this._models;
  }

  /** Stop those of our own, whatever happened; safe to call twice. */
  async stop(): Promise<void> {
    this._progress.status('');
    for (const starting of [this._kernels, this._models]) {
      const server = await starting?.catch(() => null);
      await server?.stop();
    }
  }

  private _startOwn(): Promise<IJupyterServer> {
    this._progress.status('starting the Jupyter server');
    const root = commonFolder(this._command.notebooks);
    return startOwnServer(root, this._command.baseUrl, this._ports);
  }

  private _kernels: Promise<IJupyterServer> | null = null;
  private _models: Promise<IJupyterServer> | null = null;
}

/**
 * It reads its whole input from standard input, where no other user can read it, as a line of JSON, and prints its
 * port; when that input ends, however this process ended, it shuts its kernels down and stops.
 */
const SERVER_PROGRAM = `
import sys
# The notebook's folder may hold modules of any name: they are the kernel's business.
sys.path[:] = [entry for entry in sys.path if entry]
import json, os, socket, threading

import zmq

given = json.loads(sys.stdin.readline())

# jsonschema imports it for a format that nothing here uses: two seconds for its grammar.
sys.modules["rfc3987_syntax"] = None

from traitlets.config import Config
from jupyter_core.paths import jupyter_config_path
from jupyter_server.auth.authorizer import AllowAllAuthorizer
from jupyter_server.auth.identity import IdentityProvider
from jupyter_server.extension.config import ExtensionConfigManager
from jupyter_server.serverapp import ServerApp

with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]

# Other extensions (JupyterLab, terminals) are not needed and cost seconds.
others = ExtensionConfigManager(read_config_path=jupyter_config_path()).get_jpserver_extensions()
config = Config()
config.ServerApp.update({
    "ip": "127.0.0.1", "port": port, "port_retries": 50, "sock": "", "base_url": "/",
    "open_browser": False, "root_dir": given["root"], "certfile": "", "keyfile": "",
    "allow_root": hasattr(os, "geteuid") and os.geteuid() == 0,
    "identity_provider_class": IdentityProvider, "authorizer_class": AllowAllAuthorizer,
    "jpserver_extensions": {**{name: False for name in others}, "jupyterlab_refine": True},
    "log_level": 30,
})
config.IdentityProvider.token = given["token"]
config.ContentsManager.allow_hidden = True
if given["profilesFromEnvironment"]:
    config.Refine.profiles = []

app = ServerApp.instance(config=config)
app.initialize(argv=[])
# The server reaches a kernel that is just starting at its first try, or half a second later.
app.kernel_manager.context.setsockopt(zmq.RECONNECT_IVL, 10)

def stop_at_end_of_input():
    while os.read(0, 1024):
        pass
    app.io_loop.add_callback(app.stop)
    # A kernel that does not let itself be shut down must not keep the server.
    last = threading.Timer(15, os._exit, (1,))
    last.daemon = True
    last.start()

threading.Thread(target=stop_at_end_of_input, daemon=True).start()

def report_port():
    print(f"refine: listening at {app.port}", flush=True)

app.io_loop.add_callback(report_port)
app.start()
`;
