/**
 * An executor that asks a real kernel once for each program and its checks and
 * keeps the answer in a file under `.make/`, so that a replay is fast. The file
 * is named after the kernel part: another one means running again.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attach } from '../kernel/attach.mjs';

/** Ends that say nothing of the program. */
const OUTSIDE = new Set([
  'stopped',
  'interrupted',
  'kernel-died',
  'kernel-restarted'
]);

/** Names a file after what the kernel is given to run. */
export function cacheFile(root, name) {
  const source = readFileSync(join(root, 'src', 'kernel', 'kernelSource.ts'));
  return join(root, '.make', 'replay', `${name}-${hash(source)}.jsonl`);
}

export class CachedExecutor {
  /**
   * @param {{product: object, program: string, file?: string, env?: Record<string, string>}} options
   * Without a file it keeps answers for as long as it lives.
   */
  constructor({ product, program, file = null, env = {} }) {
    this._product = product;
    this._program = program;
    this._file = file;
    this._env = env;
    if (file !== null) {
      this._read(file);
    }
  }

  _read(file) {
    mkdirSync(dirname(file), { recursive: true });
    for (const line of existsSync(file)
      ? readFileSync(file, 'utf8').split('\n')
      : []) {
      if (line !== '') {
        const { key, execution } = JSON.parse(line);
        this._known.set(key, execution);
      }
    }
  }

  /** Executions that a kernel was asked for, and all of them. */
  ran = 0;
  asked = 0;

  async prepare() {
    const { executor } = await this._attached();
    return executor.prepare(new AbortController().signal);
  }

  async inspect() {
    return [];
  }

  async run(job, onProgress, signal) {
    this.asked++;
    const { candidate, assertions, holdouts, limits, contextValues } = job;
    const key = hash(
      JSON.stringify([candidate, assertions, holdouts, limits, contextValues])
    );
    const known = this._known.get(key);
    if (known) {
      return { ...known, id: job.id };
    }
    const { executor } = await this._attached();
    const execution = await executor.run(job, onProgress, signal);
    if (!OUTSIDE.has(execution.stop)) {
      this.ran++;
      this._known.set(key, execution);
      if (this._file !== null) {
        appendFileSync(this._file, `${JSON.stringify({ key, execution })}\n`);
      }
    }
    return execution;
  }

  async dispose() {
    const attached = await this._attaching;
    await attached?.stop();
  }

  _attached() {
    this._attaching ??= attach(this._product, this._program, {
      nodelay: true,
      env: this._env
    });
    return this._attaching;
  }

  _known = new Map();
  _attaching = null;
}

function hash(data) {
  return createHash('sha256').update(data).digest('hex').slice(0, 24);
}
