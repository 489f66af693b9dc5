/** The warm Python process of one worker, from Node's side; see `jupyterlab_refine/warm/`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import { helloSchema, parseAnswer } from '../../kernel/schema';
import type { CommandLinePorts } from '../cli/commands';

type WarmRequest = { readonly op: string } & Readonly<Record<string, unknown>>;

type WarmPorts = Pick<
  CommandLinePorts,
  'environment' | 'warmProgram' | 'signal'
>;

/** How long it may take until its shell is there. */
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5000;
const LOG_CHARACTERS = 8000;
/** Descriptor of the answers, lines of JSON: anything may print to standard output when Python starts. */
const ANSWERS = 3;

const frameSchema = z.union([
  z.object({ id: z.number(), answer: z.unknown() }),
  z.object({ event: z.string(), content: z.unknown() }),
  z.object({ ready: z.boolean() }),
  z.object({ closed: z.number() })
]);
type Frame = z.infer<typeof frameSchema>;

/** A copy of the process, which answers until it ends. */
type Copy = ReturnType<typeof deferred<void>>;

/** `Promise.withResolvers`, which Node 20 lacks; nobody need wait for it. */
function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

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
    const timer = setTimeout(started.kill, START_LIMIT_MS);
    signal.addEventListener('abort', started.kill, { once: true });
    try {
      if ((await started._ready.promise) && (await started._load())) {
        return started;
      }
      await started.stop();
      return null;
    } catch {
      started.kill();
      signal.throwIfAborted();
      // The server's road reports what is wrong with the installation.
      return null;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', started.kill);
    }
  }

  private constructor(argv: readonly string[], environment: NodeJS.ProcessEnv) {
    this._child = spawn(environment['REFINE_PYTHON'] || 'python3', argv, {
      env: environment,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      // A session of its own: Ctrl-C reaches this process, which then ends what runs in order.
      detached: true,
      windowsHide: true
    });
    // Null when it did not start.
    const answers = this._child.stdio[ANSWERS] as Readable | null;
    if (answers) {
      createInterface({ input: answers }).on('line', line => this._read(line));
    }
    this._child.stderr?.on('data', (chunk: Buffer) => {
      this._log = `${this._log}${chunk.toString('utf8')}`.slice(
        -LOG_CHARACTERS
      );
    });
    // What is written to a process that has ended is answered by its end.
    this._child.stdin?.on('error', () => undefined);
    this._child.on('error', error => this._lose(error.message));
    this._child.on('close', (code, name) =>
      this._lose(`it ended with ${name ?? `status ${code}`}`)
    );
  }

  get isLost(): boolean {
    return this._lost !== null;
  }

  /**
   * Fork a copy for a notebook, which answers all requests until {@link close}.
   *
   * @param folder - where its relative paths start.
   * @param imports - first names of modules that it seems to import.
   */
  async open(folder: string, imports: readonly string[]): Promise<void> {
    this._notebook = await this._fork({ op: 'open', folder, imports });
  }

  /** Answer the requests of `work` in a copy of the notebook's copy: none of their text is in a later fork's memory. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    const done = this._turn.then(() => this._apart(work));
    this._turn = done.catch(() => undefined);
    return done;
  }

  private async _apart<T>(work: () => Promise<T>): Promise<T> {
    const copy = await this._fork({ op: 'fork' });
    try {
      return await work();
    } finally {
      await this._close(copy);
    }
  }

  /** End the notebook's copy; resolves when it is gone. */
  async close(): Promise<void> {
    if (this._notebook) {
      // A copy that code has stopped reports no end.
      const timer = setTimeout(this.kill, STOP_LIMIT_MS);
      await this._close(this._notebook);
      clearTimeout(timer);
    }
  }

  /** @throws RefineError kind `kernel`, code `kernel-dead`, when the process or the copy has ended. */
  async request(request: WarmRequest): Promise<unknown> {
    if (this._lost !== null) {
      throw this._lost;
    }
    const id = ++this._last;
    const answer = deferred<unknown>();
    this._waiting.set(id, answer);
    this._send({ id, request });
    return answer.promise;
  }

  /** Let it end, with everything that it has started; safe to call twice. */
  async stop(): Promise<void> {
    if (!this.isLost) {
      const timer = setTimeout(this.kill, STOP_LIMIT_MS);
      this._child.stdin?.end();
      await this._gone.promise;
      clearTimeout(timer);
    }
  }

  /** End it at once, with its group, which it leads; attempts end with that. */
  readonly kill = (): void => {
    const { pid } = this._child;
    try {
      if (pid !== undefined && !this.isLost) {
        process.kill(-pid, 'SIGKILL');
      }
    } catch {
      // It is no leader yet.
      this._child.kill('SIGKILL');
    }
  };

  /** Messages of attempts: previews of `refine_event`. */
  onEvent: (content: unknown) => void = () => undefined;

  /** False where it cannot be forked: on another system, or with a library that has started threads. */
  private async _load(): Promise<boolean> {
    const { KERNEL_SOURCE } = await import('../../kernel/kernelSource');
    const hello = await this.request({ op: 'load', source: KERNEL_SOURCE });
    const { isolation } = parseAnswer(helloSchema, 'hello', hello);
    return isolation.mode === 'fork';
  }

  private async _fork(request: WarmRequest): Promise<Copy> {
    const copy = deferred<void>();
    this._copies.push(copy);
    await this.request(request);
    return copy;
  }

  private async _close(copy: Copy): Promise<void> {
    if (copy === this._notebook) {
      // A session that was stopped waits for no answer: a copy of this one may still read, and would take its `close`.
      await this._turn;
    }
    if (this._copies.includes(copy)) {
      this._send({ request: { op: 'close' } });
      await copy.promise;
    }
  }

  /** Four bytes with the length of the rest: a copy takes no byte of the next request. */
  private _send(frame: object): void {
    const body = Buffer.from(JSON.stringify(frame), 'utf8');
    const head = Buffer.alloc(4);
    head.writeUInt32BE(body.length);
    this._child.stdin?.write(Buffer.concat([head, body]));
  }

  private _read(line: string): void {
    let frame: Frame;
    try {
      frame = frameSchema.parse(JSON.parse(line));
    } catch (error) {
      this.kill();
      this._lose(`its answer cannot be read (${String(error)})`);
      return;
    }
    if ('answer' in frame) {
      this._waiting.get(frame.id)?.resolve(frame.answer);
      this._waiting.delete(frame.id);
    } else if ('event' in frame) {
      this.onEvent(frame.content);
    } else if ('ready' in frame) {
      this._ready.resolve(frame.ready);
    } else {
      this._copies.pop()?.resolve();
      this._reject('the copy of the notebook ended');
    }
  }

  private _lose(why: string): void {
    if (!this.isLost) {
      this._reject(why);
      this._lost = this._error(why);
      this._ready.reject(this._lost);
      this._gone.resolve();
      this._copies.splice(0).forEach(copy => copy.resolve());
    }
  }

  private _reject(why: string): void {
    const error = this._error(why);
    this._waiting.forEach(({ reject }) => reject(error));
    this._waiting.clear();
  }

  private _error(why: string): RefineError {
    const log = this._log.trim().split('\n').at(-1);
    return new RefineError(
      'kernel',
      `The Python process of the checks ended: ${why}.${log ? ` ${log}` : ''}`,
      { code: 'kernel-dead' }
    );
  }

  private readonly _child: ChildProcess;
  private _log = '';
  private readonly _gone = deferred<void>();
  private _lost: RefineError | null = null;
  private _last = 0;
  private readonly _waiting = new Map<
    number,
    ReturnType<typeof deferred<unknown>>
  >();
  private readonly _ready = deferred<boolean>();
  /** Those that live; each is a copy of the one before. */
  private readonly _copies: Copy[] = [];
  private _notebook: Copy | null = null;
  /** Ends with the last copy of the notebook's copy. */
  private _turn: Promise<unknown> = Promise.resolve();
}

/** The name that Jupyter takes where a notebook has none. */
const DEFAULT_KERNEL = 'python3';

/** Those of one worker, which keeps them from notebook to notebook. */
export class WarmProcesses {
  constructor(private readonly _ports: WarmPorts) {}

  /**
   * A process that has no notebook open. Null where this kernel needs a Jupyter server.
   *
   * @param kernel - name of a kernel specification; null: Jupyter's default.
   */
  async get(kernel: string | null): Promise<WarmProcess | null> {
    const name = kernel ?? DEFAULT_KERNEL;
    const known = await this._started.get(name)?.catch(() => null);
    if (known === null || known?.isLost === false) {
      return known;
    }
    const starting = WarmProcess.start(name, this._ports);
    starting.catch(() => undefined);
    this._started.set(name, starting);
    return starting;
  }

  async end(): Promise<void> {
    const started = await Promise.allSettled(this._started.values());
    this._started.clear();
    await Promise.all(
      started.map(one =>
        one.status === 'fulfilled' ? one.value?.stop() : undefined
      )
    );
  }

  /** Null where the kernel needs a Jupyter server. */
  private readonly _started = new Map<string, Promise<WarmProcess | null>>();
}
