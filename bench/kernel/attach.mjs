/** A Python kernel of a server of its own, and the product's fork executor on it. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import WebSocket from 'ws';
import { startServer } from './server.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const SERVER = join(ROOT, '.venv', 'bin', 'jupyter-server');

/**
 * @param {object} product What `loadProduct` gave.
 * @param {string} program The `jupyter-server` to start.
 * @param {{nodelay: boolean, env?: Record<string, string>, prepare?: string, isolation?: string}} options
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
