/** The warm processes of one worker, which keeps them from notebook to notebook. */
import type { CommandLinePorts } from '../cli/ports';
import { WarmProcess } from './warmProcess';

/** The name that Jupyter takes where a notebook has none. */
const DEFAULT_KERNEL = 'python3';

export type WarmPorts = Pick<
  CommandLinePorts,
  'environment' | 'warmProgram' | 'signal'
>;

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
