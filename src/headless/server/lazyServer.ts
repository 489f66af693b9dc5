/** The Jupyter server of a command: the given one, or one that is started when the first notebook needs it. */
import type { CheckCommand, RunCommand } from '../cli/commands';
import type { CommandLinePorts } from '../cli/ports';
import type { Progress } from '../report/progress';
import { commonFolder } from './commonFolder';
import {
  givenServer,
  startOwnServer,
  type IJupyterServer
} from './jupyterServer';

export class LazyServer {
  constructor(
    private readonly _command: RunCommand | CheckCommand,
    private readonly _ports: Pick<CommandLinePorts, 'environment' | 'signal'>,
    private readonly _progress: Progress
  ) {}

  /** @throws RefineError kind `config` when one does not start, with what it logged. */
  get(): Promise<IJupyterServer> {
    this._server ??= this._start();
    return this._server;
  }

  /** Stop one of our own, whatever happened; safe to call twice. */
  async stop(): Promise<void> {
    const server = await this._server?.catch(() => null);
    if (server) {
      this._progress.status('stopping the Jupyter server');
      await server.stop();
      this._progress.status('');
    }
  }

  private async _start(): Promise<IJupyterServer> {
    const { server, notebooks } = this._command;
    const { environment, signal } = this._ports;
    if (server !== null) {
      return givenServer(server.url, server.token, environment);
    }
    this._progress.status('starting the Jupyter server');
    const root = commonFolder(notebooks);
    return startOwnServer({ root, environment }, signal);
  }

  private _server: Promise<IJupyterServer> | null = null;
}
