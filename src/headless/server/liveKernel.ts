/** A kernel of the server's for one notebook, and running its cells for real. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  KernelConnection,
  KernelSpecAPI,
  type ServerConnection,
  type Kernel,
  type KernelMessage,
  KernelAPI
} from '@jupyterlab/services';
import { systemClock, type IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import { untilAborted } from '../../core/session/abort';
import { isFull, namedFailure } from './requests';

export type CellRun = {
  readonly outputs: readonly CellOutput[];
  readonly executionCount: number | null;
  /** What the cell raised; null when it ran to its end. */
  readonly error: {
    readonly name: string;
    readonly message: string;
    readonly traceback: string;
  } | null;
};

type ChosenKernel = {
  readonly name: string;
  /** In lower case; null where its specification names none. */
  readonly language: string | null;
};

/**
 * The kernel specification of that name, or the server's default.
 *
 * @param otherwise - language of a kernel that may take the place of one that is not there, as in JupyterLab; null: none may.
 * @param isHere - the server is of this machine: a program that is gone is named.
 * @throws RefineError kind `input` when the server has neither.
 */
export async function chooseKernel(
  settings: ServerConnection.ISettings,
  name: string | null,
  otherwise: string | null,
  isHere: boolean
): Promise<ChosenKernel> {
  const { kernelspecs, default: fallback } = await KernelSpecAPI.getSpecs(
    settings
  ).catch((cause: unknown) => {
    throw namedFailure(settings, cause);
  });
  const languageOf = (known: string) =>
    kernelspecs[known]?.language.toLowerCase() || null;
  const wanted = name ?? fallback;
  const known = Object.keys(kernelspecs).sort();
  const found = kernelspecs[wanted]
    ? wanted
    : [fallback, ...known].find(
        other => otherwise !== null && languageOf(other) === otherwise
      );
  if (found === undefined) {
    throw new RefineError(
      'input',
      `There is no kernel ${wanted} on this server; it has ${known.join(', ') || 'none'}. Choose one with --kernel.`
    );
  }
  const program = kernelspecs[found]?.argv[0] ?? '';
  if (isHere && isAbsolute(program) && !existsSync(program)) {
    throw new RefineError(
      'kernel',
      `The kernel ${found} cannot be started: its program ${program} does not exist. Install it again (\`python -m ipykernel install\`), or choose another with --kernel.`
    );
  }
  return { name: found, language: languageOf(found) };
}

/** How long the removal of a kernel may take: a server that does not answer is left alone. */
const REMOVE_LIMIT_MS = 10_000;

export class LiveKernel {
  constructor(
    private readonly _settings: ServerConnection.ISettings,
    model: Kernel.IModel
  ) {
    this.connection = new KernelConnection({
      model,
      serverSettings: _settings
    });
    const { connection } = this;
    connection.statusChanged.connect((_, status) => {
      // The server restarts a kernel that died, without what it held.
      if (status === 'dead' || status === 'autorestarting') {
        this._onGone(kernelDied(model.name));
      }
    });
    watchKernel(model, _settings, systemClock, this._end.signal).then(
      why => {
        this._onGone(why);
        // All that waits for the kernel ends with its connection.
        connection.dispose();
      },
      () => undefined
    );
  }

  /** Why it cannot go on, if the kernel or its server is gone. */
  get lost(): RefineError | null {
    const { aborted, reason } = this._gone.signal;
    return aborted ? (reason as RefineError) : null;
  }

  /** Its language in lower case, when it answers; rejects when it ends first. */
  async ready(signal: AbortSignal): Promise<string> {
    const { language_info } = await this._whileAlive(
      this.connection.info,
      signal
    );
    return language_info.name.toLowerCase();
  }

  /**
   * Run a cell for real, with history and outputs, as a user would. Aborting `signal` interrupts it.
   *
   * @throws RefineError kind `kernel` when the kernel dies; the signal's reason when aborted.
   */
  async run(source: string, signal: AbortSignal): Promise<CellRun> {
    const collector = new OutputCollector();
    const future = this.connection.requestExecute({
      code: source,
      store_history: true,
      stop_on_error: true,
      allow_stdin: false
    });
    future.onIOPub = message => collector.add(message);
    try {
      const { content } = await this._whileAlive(future.done, signal);
      return {
        outputs: collector.outputs,
        executionCount: content.execution_count,
        error:
          content.status !== 'error'
            ? null
            : {
                name: content.ename,
                message: content.evalue,
                traceback: content.traceback.join('\n')
              }
      };
    } catch (error) {
      if (signal.aborted) {
        // A kernel that cannot be interrupted is shut down by the caller.
        this.connection.interrupt().catch(() => undefined);
      }
      throw error;
    } finally {
      future.dispose();
    }
  }

  /** Shut the kernel down; one that is gone already is no error, nor is a server that is. */
  async shutdown(): Promise<void> {
    const { id } = this.connection;
    const mayReturn = this.lost?.code === 'kernel-dead';
    this._end.abort();
    this.connection.dispose();
    const limit = AbortSignal.timeout(REMOVE_LIMIT_MS);
    const removed = removeKernel(
      id,
      this._settings,
      systemClock,
      mayReturn,
      limit
    );
    await untilAborted(removed, limit).catch(() => undefined);
  }

  private _whileAlive<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
    return untilAborted(promise, AbortSignal.any([signal, this._gone.signal]));
  }

  private _onGone(why: RefineError): void {
    if (!this._end.signal.aborted) {
      this._gone.abort(why);
    }
  }

  readonly connection: Kernel.IKernelConnection;
  /** Aborted with the reason when the kernel or its server is gone. */
  private readonly _gone = new AbortController();
  private readonly _end = new AbortController();
}

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** How long a place for a kernel is waited for, ms. */
const FULL_LIMIT_MS = 600_000;

/**
 * Start a kernel; wait, longer each time, while the server has no place for one.
 *
 * @param path - folder to start in, as the server's REST interface names it; none: the server's root.
 * @param env - for Jupyter Enterprise Gateway: `KERNEL_USERNAME` and the like. Other servers ignore it.
 * @param onFull - the server is full; its own words.
 * @throws RefineError kind `kernel` when it starts none, or has had no room for ten minutes.
 */
export async function startKernel(
  settings: ServerConnection.ISettings,
  kernel: {
    readonly name: string;
    readonly path?: string;
    readonly env?: Readonly<Record<string, string>>;
  },
  onFull: (reason: string) => void,
  signal: AbortSignal,
  clock: IClock = systemClock
): Promise<Kernel.IModel> {
  const end = clock.now() + FULL_LIMIT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    signal.throwIfAborted();
    try {
      return await KernelAPI.startNew(kernel, settings);
    } catch (cause) {
      if (!isFull(cause)) {
        throw namedFailure(settings, cause);
      }
      const { message } = cause as Error;
      if (clock.now() >= end) {
        throw new RefineError(
          'kernel',
          `The Jupyter server at ${settings.baseUrl} has had no room for a kernel for ${FULL_LIMIT_MS / 60_000} minutes: ${message} Use fewer --workers, or try later.`
        );
      }
      onFull(message);
      await clock.sleep(Math.min(pause, LONGEST_PAUSE_MS), signal);
    }
  }
}

/** The variables of the environment that Jupyter's gateway clients send to a kernel. */
export function kernelEnvironment(
  environment: NodeJS.ProcessEnv
): Readonly<Record<string, string>> {
  const own = Object.entries(environment).filter(([name]) =>
    name.startsWith('KERNEL_')
  );
  return Object.fromEntries(own) as Record<string, string>;
}

/** Looks at which a kernel that died must be absent: a restart takes some seconds. */
const ABSENT = 3;

/**
 * Remove a kernel. One that `died` may be restarted by its server at this
 * moment, which then does not find it or starts it after all: the server is
 * asked again until the kernel is gone, or `limit` is aborted.
 */
export async function removeKernel(
  id: string,
  settings: ServerConnection.ISettings,
  clock: IClock,
  died: boolean,
  limit?: AbortSignal
): Promise<void> {
  // In mid-restart a server refuses: it is asked again.
  const remove = () =>
    KernelAPI.shutdownKernel(id, settings).catch(() => undefined);
  if (!died) {
    await remove();
    return;
  }
  for (let absent = 0; absent < ABSENT; absent++) {
    if (await KernelAPI.getKernelModel(id, settings)) {
      await remove();
      absent = -1;
    }
    await clock.sleep(FIRST_PAUSE_MS, limit);
  }
}

const WATCH_PAUSE_MS = 2000;
/** One lost answer is no dead server. */
const FAILURES = 3;
const ANSWER_LIMIT_MS = 5000;

/**
 * Asks for a kernel every two seconds: a websocket alone shows after minutes or never that it, or its server, is gone.
 *
 * @returns why it is gone: code `kernel-dead`, or `unreachable` with the server's address. Rejects when `end` is aborted.
 */
export async function watchKernel(
  { id, name }: Pick<Kernel.IModel, 'id' | 'name'>,
  settings: ServerConnection.ISettings,
  clock: IClock,
  end: AbortSignal
): Promise<RefineError> {
  for (let failures = 0; failures < FAILURES;) {
    await clock.sleep(WATCH_PAUSE_MS, end);
    const limit = new AbortController();
    const late = clock.sleep(ANSWER_LIMIT_MS, limit.signal).then(() => null);
    const model = await Promise.race([
      KernelAPI.getKernelModel(id, settings),
      late
    ]).catch(() => null);
    limit.abort();
    if (model === undefined || model?.execution_state === 'dead') {
      return kernelDied(name);
    }
    failures = model === null ? failures + 1 : 0;
  }
  return new RefineError(
    'kernel',
    `The Jupyter server at ${settings.baseUrl} does not answer any more.`,
    { code: 'unreachable' }
  );
}

function kernelDied(name: string): RefineError {
  return new RefineError(
    'kernel',
    `The kernel died. If it was starting, \`jupyter kernel --kernel=${name}\` shows why.`,
    { code: 'kernel-dead' }
  );
}

/** One output in nbformat 4's form; a stream has the two last. */
type CellOutput = Readonly<Record<string, unknown>> & {
  readonly output_type: string;
  readonly name?: unknown;
  text?: unknown;
};

/** Messages whose content is an output. */
const OUTPUTS = ['stream', 'display_data', 'execute_result', 'error'];

/** Folds a run's IOPub messages: streams joined, displays updated, `clear_output` obeyed. */
export class OutputCollector {
  get outputs(): readonly CellOutput[] {
    return this._shown.map(({ output }) => output);
  }

  add({ header, content: sent }: KernelMessage.IIOPubMessage): void {
    const type = header.msg_type;
    const { transient, wait, ...content } = sent as Readonly<
      Record<string, unknown>
    > & {
      readonly transient?: { readonly display_id?: string };
      readonly wait?: boolean;
    };
    const id = transient?.display_id;
    const isOutput = OUTPUTS.includes(type);
    if (type === 'clear_output') {
      this._isCleared = true;
    }
    if (this._isCleared && (isOutput || wait === false)) {
      this._isCleared = false;
      this._shown = [];
    }
    const last = this._shown.at(-1)?.output;
    if (type === 'update_display_data') {
      this._shown = this._shown.map(one =>
        one.id === id ? { id, output: { ...one.output, ...content } } : one
      );
    } else if (type === 'stream' && last && last.name === content['name']) {
      last.text = `${last.text}${String(content['text'])}`;
    } else if (isOutput) {
      this._shown.push({ id, output: { output_type: type, ...content } });
    }
  }

  private _shown: { readonly id?: string; readonly output: CellOutput }[] = [];
  private _isCleared = false;
}
