/** A server that stands for the Jupyter server with our routes, one answer for all requests. */
import {
  createServer,
  type IncomingHttpHeaders,
  type ServerResponse
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { ServerConnection } from '@jupyterlab/services';

export type StubRequest = {
  readonly method: string;
  /** Path and query, without the cache buster that Jupyter's client adds. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

export class JupyterStub {
  static async start(
    answer: (response: ServerResponse, request: StubRequest) => void,
    basePath = '/'
  ) {
    const stub = new JupyterStub();
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const seen = {
          method: request.method ?? '',
          path: (request.url ?? '').replace(/[?&]\d{13}$/, ''),
          headers: request.headers,
          body: Buffer.concat(parts).toString('utf8')
        };
        stub.requests.push(seen);
        answer(response, seen);
      });
    });
    await new Promise<void>(resolve => {
      server.listen(0, '127.0.0.1', resolve);
    });
    stub.close = () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    const { port } = server.address() as AddressInfo;
    stub.host = `127.0.0.1:${port}`;
    stub.settings = ServerConnection.makeSettings({
      baseUrl: `http://127.0.0.1:${port}${basePath}`,
      token: 'jupyter-token'
    });
    return stub;
  }

  readonly requests: StubRequest[] = [];
  host = '';
  settings = ServerConnection.makeSettings();
  close: () => Promise<void> = () => Promise.resolve();
}

export function json(
  response: ServerResponse,
  status: number,
  body: object
): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}
