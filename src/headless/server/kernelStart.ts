/** A kernel on a server that may be full: starting it, noticing that it is gone, and removing it. */
import {
  KernelAPI,
  type Kernel,
  type ServerConnection
} from '@jupyterlab/services';
import type { IClock } from '../../core/clock';
import { RefineError } from '../../core/errors';
import { asked, isFull } from './requests';

export type KernelOptions = {
  /** Name of a kernel specification; null: the server's default. */
  readonly name: string | null;
  /** Folder to start in, as the server's REST interface names it; null: the server's root. */
  readonly folder: string | null;
  /** For Jupyter Enterprise Gateway: `KERNEL_USERNAME` and the like. Other servers ignore it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** On a given server, whose end, or whose kernel's end, is to be noticed. */
  readonly isWatched?: boolean;
};

export type WaitingPorts = {
  readonly clock: IClock;
  readonly signal: AbortSignal;
  /** The server is full; its own words. */
  readonly onFull: (reason: string) => void;
};

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** How long a place for a kernel is waited for, ms. */
const FULL_LIMIT_MS = 600_000;

/**
 * Start a kernel; wait, longer each time, while the server has no place for one.
 *
 * @throws RefineError kind `kernel` when the server starts none.
 */
export async function startKernel(
  settings: ServerConnection.ISettings,
  { name, folder, environment = {} }: KernelOptions,
  { clock, signal, onFull }: WaitingPorts
): Promise<Kernel.IModel> {
  const body = {
    ...(name === null ? {} : { name }),
    ...(folder === null ? {} : { path: folder }),
    ...(Object.keys(environment).length ? { env: environment } : {})
  };
  const end = clock.now() + FULL_LIMIT_MS;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    signal.throwIfAborted();
    const start = KernelAPI.startNew(body, settings);
    const full = await start.then(
      () => null,
      (cause: unknown) => (isFull(cause) ? (cause as Error).message : null)
    );
    if (full === null) {
      return asked(settings, () => start);
    }
    if (clock.now() >= end) {
      throw new RefineError(
        'kernel',
        `The Jupyter server at ${settings.baseUrl} has had no room for a kernel for ${FULL_LIMIT_MS / 60_000} minutes: ${full} Use fewer --workers, or try later.`
      );
    }
    onFull(full);
    await clock.sleep(Math.min(pause, LONGEST_PAUSE_MS), signal);
  }
}

/** The variables of the environment that Jupyter's gateway clients send to a kernel. */
export function kernelEnvironment(
  environment: NodeJS.ProcessEnv
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] =>
        entry[0].startsWith('KERNEL_') && entry[1] !== undefined
    )
  );
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
  let absent = 0;
  do {
    if (!died || (await KernelAPI.getKernelModel(id, settings))) {
      // In mid-restart a server refuses: it is asked again.
      await KernelAPI.shutdownKernel(id, settings).catch(() => undefined);
      absent = 0;
    } else {
      absent += 1;
    }
    if (died) {
      await clock.sleep(FIRST_PAUSE_MS, limit);
    }
  } while (died && absent < ABSENT);
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
  id: string,
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
      return kernelDied();
    }
    failures = model === null ? failures + 1 : 0;
  }
  return new RefineError(
    'kernel',
    `The Jupyter server at ${settings.baseUrl} does not answer any more.`,
    { code: 'unreachable' }
  );
}

export function kernelDied(): RefineError {
  return new RefineError('kernel', 'The kernel died.', { code: 'kernel-dead' });
}
