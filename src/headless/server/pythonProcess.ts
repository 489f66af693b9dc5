/** A Python program that the command line starts and that ends with it: its own Jupyter server, a warm process. */
import {
  spawn,
  type ChildProcess,
  type StdioOptions
} from 'node:child_process';
import { createInterface } from 'node:readline';

const KEPT_LINES = 10;

export class PythonProcess {
  /** @param stdio - standard error is read here. */
  constructor(
    argv: readonly string[],
    environment: NodeJS.ProcessEnv,
    stdio: StdioOptions,
    cwd?: string
  ) {
    this.program = environment['REFINE_PYTHON'] || 'python3';
    this.child = spawn(this.program, argv, {
      cwd,
      env: environment,
      stdio,
      // A session of its own: Ctrl-C reaches this process, which then ends the other one in order.
      detached: true,
      windowsHide: true
    });
    // What is written to a process that has ended is answered by its end.
    this.child.stdin?.on('error', () => undefined);
    if (this.child.stderr) {
      createInterface({ input: this.child.stderr }).on('line', line => {
        this._lines = [...this._lines, line].slice(-KEPT_LINES);
      });
    }
    this.gone = new Promise(resolve => {
      this.child.on('error', error => resolve(error.message));
      // `close` and not `exit`: by then all of its log was read.
      this.child.on('close', (code, name) =>
        resolve(`it ended with ${name ?? `status ${code}`}`)
      );
    });
    this._exited = new Promise(resolve => {
      this.child.on('error', () => resolve());
      // What a kernel has started may hold its pipes open.
      this.child.on('exit', () => resolve());
    });
    void this._exited.then(() => (this.isGone = true));
  }

  readonly program: string;
  readonly child: ChildProcess;
  /** Resolves with how it ended, or why it did not start, when all of its output was read. */
  readonly gone: Promise<string>;
  isGone = false;

  /** The last lines that it wrote to stderr. */
  get log(): string {
    return this._lines.join('\n');
  }

  /** Let it end, with everything that it has started; safe to call twice. */
  async stop(limitMs: number): Promise<void> {
    if (!this.isGone) {
      const timer = setTimeout(this.kill, limitMs);
      this.child.stdin?.end();
      await this._exited;
      clearTimeout(timer);
    }
  }

  /** End it at once, with its group, which it leads. */
  readonly kill = (): void => {
    const { pid } = this.child;
    try {
      if (pid !== undefined && !this.isGone) {
        process.kill(-pid, 'SIGKILL');
      }
    } catch {
      // It is no leader yet, or there are no groups here.
      this.child.kill('SIGKILL');
    }
  };

  private readonly _exited: Promise<void>;
  private _lines: readonly string[] = [];
}
