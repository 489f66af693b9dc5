/** The warm Python process of one worker, from Node's side; see `jupyterlab_refine/warm/`. */
import * as z from 'zod';
import { RefineError } from '../../core/errors';
import { helloSchema, parseAnswer } from '../../kernel/schema';
import type { CommandLinePorts } from '../cli/commands';
import { FramedProcess, signal } from './frames';

export type WarmRequest = { readonly op: string } & Readonly<
  Record<string, unknown>
>;

export type WarmOptions = {
  readonly python: string;
  /** Path of `jupyterlab_refine/warm/start.py`. */
  readonly program: string;
  /** Name of a kernel specification. */
  readonly kernel: string;
  readonly environment: NodeJS.ProcessEnv;
};

/** How long it may take until its shell is there. */
const START_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 5000;

const openedSchema = z.object({ pid: z.number() });
const frameSchema = z.union([
  z.object({ id: z.number(), answer: z.unknown() }),
  z.object({ event: z.string(), content: z.unknown() }),
  z.object({ ready: z.boolean(), reason: z.string().optional() }),
  z.object({ closed: z.number() })
]);
type Frame = z.infer<typeof frameSchema>;

/** A copy of the process, which answers until it ends. */
class Copy {
  end: () => void = () => undefined;
  readonly ended = new Promise<void>(resolve => {
    this.end = resolve;
  });
}

export class WarmProcess {
  /** Null where this kernel needs a Jupyter server. */
  static async start(
    options: WarmOptions,
    signal: AbortSignal
  ): Promise<WarmProcess | null> {
    signal.throwIfAborted();
    const started = new WarmProcess(options);
    const timer = setTimeout(started.kill, START_LIMIT_MS);
    signal.addEventListener('abort', started.kill, { once: true });
    try {
      if ((await started._ready) && (await started._load())) {
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

  private constructor({ python, program, kernel, environment }: WarmOptions) {
    this._process = new FramedProcess<Frame>(
      python,
      [program, kernel],
      environment,
      {
        schema: frameSchema,
        onFrame: frame => this._take(frame),
        onEnd: why => this._lose(why)
      }
    );
    this._ready.catch(() => undefined);
  }

  get isLost(): boolean {
    return this._process.hasEnded;
  }

  /**
   * Fork a copy for a notebook, which answers all requests until {@link close}.
   *
   * @param folder - where its relative paths start.
   * @param imports - first names of modules that it seems to import.
   * @param runs - it runs cells for real, as a kernel.
   */
  async open(
    folder: string,
    imports: readonly string[],
    runs = false
  ): Promise<void> {
    const copy = new Copy();
    this._copies.push(copy);
    const opened = await this.request({ op: 'open', folder, imports, runs });
    this._notebook = copy;
    this._runner = runs ? parseAnswer(openedSchema, 'open', opened).pid : null;
  }

  /** Interrupt the cell that the notebook's copy runs. */
  interrupt(): void {
    if (this._runner !== null) {
      signal(this._runner, 'SIGINT');
    }
  }

  /** Answer the requests of `work` in a copy of the notebook's copy: none of their text is in a later fork's memory. */
  apart<T>(work: () => Promise<T>): Promise<T> {
    const done = this._turn.then(() => this._apart(work));
    this._turn = done.then(
      () => undefined,
      () => undefined
    );
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
      // A cell that ignores its interrupt reads no request.
      const timers = [
        setTimeout(() => this._killRunner(), STOP_LIMIT_MS),
        // Nor does a process report its end that a cell has stopped.
        setTimeout(this.kill, 2 * STOP_LIMIT_MS)
      ];
      await this._close(this._notebook);
      timers.forEach(clearTimeout);
      this._runner = null;
    }
  }

  /** @throws RefineError kind `kernel`, code `kernel-dead`, when the process or the copy has ended. */
  request(request: WarmRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this._lost !== null) {
        reject(this._lost);
        return;
      }
      const id = ++this._last;
      this._waiting.set(id, { resolve, reject });
      this._process.send({ id, request });
    });
  }

  /** Let it end, with everything that it has started; safe to call twice. */
  stop(): Promise<void> {
    return this._process.stop(this.kill);
  }

  /** End it at once, with the copy of the notebook; attempts end with that. */
  readonly kill = (): void => {
    if (!this.isLost) {
      this._process.kill();
      this._killRunner();
    }
  };

  /** With what its cells have started: it leads a group. */
  private _killRunner(): void {
    if (this._runner !== null) {
      signal(-this._runner, 'SIGKILL');
    }
  }

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
    const copy = new Copy();
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
      this._process.send({ request: { op: 'close' } });
      await copy.ended;
    }
  }

  private _take(frame: Frame): void {
    if ('answer' in frame) {
      this._waiting.get(frame.id)?.resolve(frame.answer);
      this._waiting.delete(frame.id);
    } else if ('event' in frame) {
      this.onEvent(frame.content);
    } else if ('ready' in frame) {
      this._onReady(frame.ready);
    } else if ('closed' in frame) {
      this._copies.pop()?.end();
      this._reject('the copy of the notebook ended');
    }
  }

  private _lose(why: string): void {
    this._reject(why);
    this._lost = this._error(why);
    this._onLost(this._lost);
    this._copies.splice(0).forEach(copy => copy.end());
  }

  private _reject(why: string): void {
    const error = this._error(why);
    this._waiting.forEach(({ reject }) => reject(error));
    this._waiting.clear();
  }

  private _error(why: string): RefineError {
    const log = this._process.log(1);
    return new RefineError(
      'kernel',
      `The Python process of the checks ended: ${why}.${log ? ` ${log}` : ''}`,
      { code: 'kernel-dead' }
    );
  }

  private readonly _process: FramedProcess<Frame>;
  private _lost: RefineError | null = null;
  private _last = 0;
  private readonly _waiting = new Map<
    number,
    {
      readonly resolve: (answer: unknown) => void;
      readonly reject: (error: RefineError) => void;
    }
  >();
  private _onLost: (error: RefineError) => void = () => undefined;
  private _onReady: (ready: boolean) => void = () => undefined;
  private readonly _ready = new Promise<boolean>((resolve, reject) => {
    this._onReady = resolve;
    this._onLost = reject;
  });
  /** Those that live; each is a copy of the one before. */
  private readonly _copies: Copy[] = [];
  private _notebook: Copy | null = null;
  /** Process id of a copy that runs cells. */
  private _runner: number | null = null;
  /** Ends with the last copy of the notebook's copy. */
  private _turn: Promise<void> = Promise.resolve();
}

/** The name that Jupyter takes where a notebook has none. */
const DEFAULT_KERNEL = 'python3';

type WarmPorts = Pick<
  CommandLinePorts,
  'environment' | 'warmProgram' | 'signal'
>;

/** Those of one worker, which keeps them from notebook to notebook. */
export class WarmProcesses {
  constructor(private readonly _ports: WarmPorts) {}

  /**
   * A process that has no notebook open. Null where this kernel needs a Jupyter server.
   *
   * @param kernel - name of a kernel specification; null: Jupyter's default.
   * @param use - one for each: only one copy lives in a process at a time.
   */
  async get(
    kernel: string | null,
    use: 'notebook' | 'fresh' = 'notebook'
  ): Promise<WarmProcess | null> {
    const { environment, warmProgram, signal } = this._ports;
    if (warmProgram === null) {
      return null;
    }
    const name = kernel ?? DEFAULT_KERNEL;
    const key = `${use} ${name}`;
    const known = await this._started.get(key)?.catch(() => null);
    if (known === null || known?.isLost === false) {
      return known;
    }
    const starting = WarmProcess.start(
      {
        python: environment['REFINE_PYTHON'] || 'python3',
        program: warmProgram,
        kernel: name,
        environment
      },
      signal
    );
    starting.catch(() => undefined);
    this._started.set(key, starting);
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
