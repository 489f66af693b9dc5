/** The warm Python process of one worker, from Node's side; see `jupyterlab_refine/warm/`. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import * as z from 'zod';
import type { Isolation } from '../../core/domain/execution';
import { RefineError } from '../../core/errors';
import { helloSchema, parseAnswer } from '../../kernel/schema';
import type { CommandLinePorts } from '../cli/commands';
import { PythonProcess } from '../server/pythonProcess';

type WarmRequest = { readonly op: string } & Readonly<Record<string, unknown>>;

type WarmPorts = Pick<
  CommandLinePorts,
  'environment' | 'warmProgram' | 'signal'
>;

/** How long it may take until its shell is there. */
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5000;
/** Descriptor of the answers, lines of JSON: anything may print to standard output when Python starts. */
const ANSWERS = 3;

const frameSchema = z.object({ id: z.number(), answer: z.unknown() });

export class WarmProcess {
  /**
   * Null where this kernel needs a Jupyter server.
   *
   * @param kernel - name of a kernel specification.
   */
  static async start(
    kernel: string,
    { environment, warmProgram, signal }: WarmPorts
  ): Promise<WarmProcess | null> {
    signal.throwIfAborted();
    const started = new WarmProcess([warmProgram, kernel], environment);
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    const end = AbortSignal.any([signal, limit]);
    end.addEventListener('abort', started.kill);
    try {
      const { KERNEL_SOURCE: source } =
        await import('../../kernel/kernelSource');
      const hello = await started._ask([{ op: 'load', source }]);
      started._isolation = parseAnswer(helloSchema, 'hello', hello).isolation;
      // Otherwise it cannot be forked: on another system, or with a library that has started threads.
      if (started._isolation.mode === 'fork') {
        return started;
      }
      await started.stop();
    } catch {
      // The server's road reports what is wrong with the installation.
      started.kill();
      signal.throwIfAborted();
    } finally {
      end.removeEventListener('abort', started.kill);
    }
    return null;
  }

  private constructor(argv: readonly string[], environment: NodeJS.ProcessEnv) {
    const stdio = ['pipe', 'ignore', 'pipe', 'pipe'] as const;
    this._process = new PythonProcess(argv, environment, [...stdio]);
    // Null when it did not start.
    const input = this._process.child.stdio[ANSWERS] as Readable | null;
    const lines = createInterface({ input: input ?? Readable.from([]) });
    this._lines = lines[Symbol.asyncIterator]();
  }

  get isLost(): boolean {
    return this._process.isGone;
  }

  /** Of all its attempts. */
  get isolation(): Isolation {
    return this._isolation!;
  }

  /**
   * The answer to the last of the requests, from a copy of the process that reads no others: none of their text is
   * in a later copy's memory.
   *
   * @param copy - the folder where its relative paths start, and first names of modules that it seems to import.
   * @param signal - ends the attempt, which then answers.
   * @throws RefineError kind `kernel`, code `kernel-dead`, when the process has ended.
   */
  attempt(
    copy: { readonly folder: string; readonly imports: readonly string[] },
    requests: readonly WarmRequest[],
    signal: AbortSignal
  ): Promise<unknown> {
    // One after the other: two processes must not read at the same time.
    const done = this._turn.then(async () => {
      signal.throwIfAborted();
      const cancel = () => this._send({ request: { op: 'cancel' } });
      signal.addEventListener('abort', cancel, { once: true });
      try {
        return await this._ask([{ op: 'fork', ...copy }, ...requests]);
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    });
    this._turn = done.catch(() => undefined);
    return done;
  }

  stop(): Promise<void> {
    return this._process.stop(STOP_LIMIT_MS);
  }

  /** End it at once; attempts end with that. */
  readonly kill = (): void => this._process.kill();

  private async _ask(requests: readonly WarmRequest[]): Promise<unknown> {
    const id = ++this._last;
    requests.forEach(request => this._send({ id, request }));
    for (;;) {
      const { done, value } = await this._lines.next();
      if (done) {
        throw this._error(await this._process.gone);
      }
      let frame: z.infer<typeof frameSchema>;
      try {
        frame = frameSchema.parse(JSON.parse(value));
      } catch (error) {
        this.kill();
        throw this._error(`its answer cannot be read (${String(error)})`);
      }
      if (frame.id === id) {
        return frame.answer;
      }
    }
  }

  /** Four bytes with the length of the rest: a copy takes no byte of the next request. */
  private _send(frame: object): void {
    const body = Buffer.from(JSON.stringify(frame), 'utf8');
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this._process.child.stdin?.write(Buffer.concat([head, body]));
  }

  private _error(why: string): RefineError {
    const log = this._process.log.trim().split('\n').at(-1);
    return new RefineError(
      'kernel',
      `The Python process of the checks ended: ${why}.${log ? ` ${log}` : ''}`,
      { code: 'kernel-dead' }
    );
  }

  private readonly _process: PythonProcess;
  private readonly _lines: AsyncIterator<string>;
  private _isolation: Isolation | null = null;
  private _last = 0;
  private _turn: Promise<unknown> = Promise.resolve();
}

/** That of one worker, which keeps it from notebook to notebook. */
export class WarmWorker {
  constructor(private readonly _ports: WarmPorts) {}

  /**
   * Null where this kernel needs a Jupyter server.
   *
   * @param kernel - name of a kernel specification; null: Jupyter's default.
   */
  async get(kernel: string | null): Promise<WarmProcess | null> {
    const name = kernel ?? 'python3';
    if (this._name !== name || this._process?.isLost) {
      await this.end();
      this._process = await WarmProcess.start(name, this._ports);
      this._name = name;
    }
    return this._process;
  }

  async end(): Promise<void> {
    await this._process?.stop();
    this._process = null;
    this._name = null;
  }

  private _name: string | null = null;
  private _process: WarmProcess | null = null;
}
