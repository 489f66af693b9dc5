/**
 * The models of a command without a Jupyter server: a Python process that has our server's
 * profiles and providers (`jupyterlab_refine/pipe.py`), and answers its routes over pipes.
 */
import { ServerConnection } from '@jupyterlab/services';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import type { CommandLinePorts } from '../cli/commands';
import { FramedProcess } from '../warm/frames';

export type ModelProcessOptions = {
  /** Of an OpenAI-compatible server, used instead of all profiles; null: the profiles. */
  readonly baseUrl: string | null;
  readonly environment: NodeJS.ProcessEnv;
};

/** A command that calls models: with its base URL, or those of its server, or this user's. */
type ModelCommand = {
  readonly server: object | null;
  readonly baseUrl: string | null;
};

const PROGRAM = `
import sys
# The folder may hold modules of any name.
sys.path[:] = [entry for entry in sys.path if entry]
from jupyterlab_refine.pipe import main
main()
`;
/** Names no host: requests go over the pipe. */
const BASE_URL = 'http://models.invalid/';
const LOG_LINES = 10;

const frameSchema = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ id: z.number(), status: z.number(), type: z.string() }),
  z.object({ id: z.number(), data: z.string() }),
  z.object({ id: z.number(), end: z.literal(true) })
]);
type Frame = z.infer<typeof frameSchema>;

/** One request whose answer has not ended. */
type Call = {
  readonly onHead: (response: Response) => void;
  readonly onFailure: (error: unknown) => void;
  readonly body: ReadableStream<Uint8Array>;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
};

export class ModelProcess {
  /** @throws RefineError kind `config` when it does not start, with what it logged. */
  static async start(
    { baseUrl, environment }: ModelProcessOptions,
    signal: AbortSignal
  ): Promise<ModelProcess> {
    signal.throwIfAborted();
    const more = baseUrl === null ? [] : ['--no-profiles'];
    const started = new ModelProcess(
      environment['REFINE_PYTHON'] || 'python3',
      ['-c', PROGRAM, ...more],
      {
        ...environment,
        ...(baseUrl === null ? {} : { OPENAI_BASE_URL: baseUrl })
      }
    );
    const kill = () => started._process.kill();
    signal.addEventListener('abort', kill, { once: true });
    try {
      await started._ready;
      return started;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener('abort', kill);
    }
  }

  private constructor(
    private readonly _python: string,
    args: readonly string[],
    environment: NodeJS.ProcessEnv
  ) {
    this._ready.catch(() => undefined);
    this._process = new FramedProcess<Frame>(_python, args, environment, {
      schema: frameSchema,
      onFrame: frame => this._take(frame),
      onEnd: why => this._lose(why)
    });
  }

  /** As of a Jupyter server with our extension, for its routes alone. */
  readonly settings = ServerConnection.makeSettings({
    baseUrl: BASE_URL,
    fetch: (input, init) => this._fetch(new Request(input, init))
  });

  /** Let it end; safe to call twice. */
  stop(): Promise<void> {
    return this._process.stop();
  }

  private async _fetch(request: Request): Promise<Response> {
    const { signal, headers, url } = request;
    const body = await request.text();
    signal.throwIfAborted();
    if (this._lost !== null) {
      throw this._lost;
    }
    const id = ++this._last;
    const [, path] = new URL(url).pathname.split('/jupyterlab-refine/v1/');
    const profile = headers.get('x-refine-profile');
    const cancel = () => {
      this._process.send({ cancel: id });
      this._fail(id, signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    return new Promise((resolve, reject) => {
      const body$ = newBody(() => {
        // The reader has enough: nothing can be put into the body any more.
        this._calls.delete(id);
        this._process.send({ cancel: id });
      });
      this._calls.set(id, {
        ...body$,
        onHead: resolve,
        onFailure: error => {
          reject(error);
          body$.controller.error(error);
        }
      });
      this._process.send({
        id,
        path,
        body,
        ...(profile === null ? {} : { profile: decodeURIComponent(profile) })
      });
    });
  }

  private _take(frame: Frame): void {
    if ('ready' in frame) {
      this._onReady();
      return;
    }
    const call = this._calls.get(frame.id);
    if (!call) {
      return;
    }
    if ('status' in frame) {
      const head = {
        status: frame.status,
        headers: { 'Content-Type': frame.type }
      };
      call.onHead(new Response(call.body, head));
    } else if ('data' in frame) {
      call.controller.enqueue(Buffer.from(frame.data, 'utf8'));
    } else {
      this._calls.delete(frame.id);
      call.controller.close();
    }
  }

  private _fail(id: number, error: unknown): void {
    this._calls.get(id)?.onFailure(error);
    this._calls.delete(id);
  }

  private _lose(why: string): void {
    const log = this._process.log(LOG_LINES);
    this._lost = new RefineError(
      'config',
      `The Python process of the models, ${this._python}, ended: ${why}. Set REFINE_PYTHON to a Python that has jupyterlab-refine.${log ? `\n${log}` : ''}`
    );
    this._onLost(this._lost);
    [...this._calls.keys()].forEach(id => this._fail(id, this._lost));
  }

  private readonly _process: FramedProcess<Frame>;
  private _lost: RefineError | null = null;
  private _last = 0;
  private readonly _calls = new Map<number, Call>();
  private _onReady: () => void = () => undefined;
  private _onLost: (error: RefineError) => void = () => undefined;
  private readonly _ready = new Promise<void>((resolve, reject) => {
    this._onReady = resolve;
    this._onLost = reject;
  });
}

/** Start the process of a command's models, null where its server has them, and stop it whatever happens. */
export async function withModelProcess<T>(
  { server, baseUrl }: ModelCommand,
  { environment, signal }: Pick<CommandLinePorts, 'environment' | 'signal'>,
  use: (models: ModelProcess | null) => Promise<T>
): Promise<T> {
  const models =
    server === null || baseUrl !== null
      ? await ModelProcess.start({ baseUrl, environment }, signal)
      : null;
  try {
    return await use(models);
  } finally {
    await models?.stop();
  }
}

function newBody(onCancel: () => void): Pick<Call, 'body' | 'controller'> {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const body = new ReadableStream<Uint8Array>({
    start: given => {
      controller = given;
    },
    cancel: onCancel
  });
  return { body, controller: controller! };
}
