/** The Jupyter server that a run uses: one of its own on a loopback port, or a given one. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { ServerConnection } from '@jupyterlab/services';
import WebSocket from 'ws';
import { RefineError } from '../../core/errors';
import { connectionReason } from '../../models/transport/transportErrors';
import { kernelEnvironment } from './kernelStart';
import { withReason } from './requests';
import {
  SERVER_PROGRAM,
  type ServerProgramInput,
  type ServerProgramOutput
} from './serverProgram';

export interface IJupyterServer {
  readonly settings: ServerConnection.ISettings;
  /** Absolute folder of this machine under which kernels start; null for a given server. */
  readonly root: string | null;
  /** Variables for kernels of a given server, as Jupyter's gateway clients send them. */
  readonly kernelEnvironment: Readonly<Record<string, string>>;
  /** Stops an own server and its kernels; leaves a given one alone. Safe to call twice. */
  stop(): Promise<void>;
}

export type OwnServerOptions = {
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
};

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 20_000;
const KEPT_LOG_LINES = 200;
const SHOWN_LOG_LINES = 10;

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
    fetch: reasoned,
    // The DOM's WebSocket type has members for events that no caller here uses.
    WebSocket: WebSocket as unknown as ServerConnection.ISettings['WebSocket']
  });
}

/** `fetch` says only that it failed, and the Jupyter client drops the cause. */
async function reasoned(...args: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await withReason(await fetch(...args));
  } catch (cause) {
    throw new TypeError(connectionReason(cause), { cause });
  }
}

export function givenServer(
  url: string,
  token: string,
  environment: NodeJS.ProcessEnv
): IJupyterServer {
  return {
    settings: connectionSettings(url, token),
    root: null,
    kernelEnvironment: kernelEnvironment(environment),
    stop: () => Promise.resolve()
  };
}

/**
 * Start a Jupyter server of our own, with our extension only.
 *
 * @throws RefineError kind `config` when it does not start, with what it logged.
 */
export async function startOwnServer(
  options: OwnServerOptions,
  signal: AbortSignal
): Promise<IJupyterServer> {
  const { environment, root } = options;
  const python = environment['REFINE_PYTHON'] || 'python3';
  const input: ServerProgramInput = {
    token: randomBytes(24).toString('hex'),
    root
  };
  const child = spawn(python, ['-c', SERVER_PROGRAM], {
    cwd: root,
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
    // A session of its own: Ctrl-C reaches this process, which then stops the server in order.
    detached: true,
    windowsHide: true
  });
  const log = keepLog(child);
  // A server that died before it read its input is reported by its exit, not by this pipe.
  child.stdin!.on('error', () => undefined);
  child.stdin!.write(`${JSON.stringify(input)}\n`);
  try {
    const port = await listening(child, python, log, signal);
    return {
      settings: connectionSettings(`http://127.0.0.1:${port}/`, input.token),
      root,
      kernelEnvironment: {},
      stop: () => stop(child)
    };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function listening(
  child: ChildProcess,
  python: string,
  log: () => string,
  signal: AbortSignal
): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => {
      end();
      const logged = log();
      reject(
        new RefineError('config', logged ? `${message}\n${logged}` : message)
      );
    };
    const timer = setTimeout(
      () =>
        fail(
          `The Jupyter server did not start within ${START_LIMIT_MS / 1000} s.`
        ),
      START_LIMIT_MS
    );
    const onAbort = () => {
      end();
      reject(signal.reason);
    };
    const onError = (error: Error) =>
      fail(
        `The Jupyter server could not be started with ${python}: ${error.message}. Set REFINE_PYTHON to a Python that has jupyterlab-refine.`
      );
    // `close` and not `exit`: by then all of its log was read.
    const onClose = (code: number | null) =>
      fail(
        `The Jupyter server ended at its start with status ${code}. Does ${python} have jupyterlab-refine? REFINE_PYTHON names another.`
      );
    const lines = createInterface({ input: child.stdout! });
    const onLine = (line: string) => {
      const port = readPort(line);
      if (port !== null) {
        end();
        resolve(port);
      }
    };
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      child.off('error', onError);
      child.off('close', onClose);
      lines.off('line', onLine);
    };
    child.on('error', onError);
    child.on('close', onClose);
    lines.on('line', onLine);
    if (signal.aborted) {
      onAbort();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
    }
  });
}

function readPort(line: string): number | null {
  try {
    const output = JSON.parse(line) as Partial<ServerProgramOutput>;
    return typeof output.port === 'number' ? output.port : null;
  } catch {
    return null;
  }
}

/** The last lines that the server wrote to stderr; of a traceback only what was raised. */
function keepLog(child: ChildProcess): () => string {
  const kept: string[] = [];
  createInterface({ input: child.stderr! }).on('line', line => {
    kept.push(line);
    if (kept.length > KEPT_LOG_LINES) {
      kept.shift();
    }
  });
  return () => {
    const trace = kept.findIndex(line => line.startsWith('Traceback'));
    const shown = trace < 0 ? kept : [...kept.slice(0, trace), kept.at(-1)!];
    return shown.slice(-SHOWN_LOG_LINES).join('\n');
  };
}

function stop(child: ChildProcess): Promise<void> {
  if (
    child.exitCode !== null ||
    child.signalCode !== null ||
    child.pid === undefined
  ) {
    return Promise.resolve();
  }
  return new Promise(resolve => {
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    child.stdin!.end();
  });
}
