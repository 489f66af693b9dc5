/** Copies of the user's variables in a second kernel, sent again only when they may have changed. */
import { UUID } from '@lumino/coreutils';
import { throwIfAborted } from '../../core/session/abort';
import { RefineError } from '../../core/errors';
import type { ExecutionJob } from '../../core/domain/executor';
import type { KernelHarness } from '../harness';
import {
  loadSchema,
  packSchema,
  partSchema,
  shareHelloSchema,
  stepSchema,
  type LeftOut
} from '../schema';

/** How long the user's kernel may be kept from its cells by copying, seconds. */
const SECONDS = 30;
const LIMIT_BYTES = 2 ** 30;
/** The same where the copies go through messages, since the second kernel does not see the file. */
const MESSAGES_LIMIT_BYTES = 64 * 2 ** 20;
const PART_BYTES = 2 ** 20;
/** Variables that could not be made in the second kernel, until copying is given up. */
const MAX_FAILURES = 10;

/** What an attempt has in the second kernel. */
export type Copied = {
  /** Names of the copies. */
  readonly names: readonly string[];
  /** What it needs and does not have. */
  readonly left: LeftOut;
};

/** The user interrupted the kernel while variables were copied. */
export class CopyInterrupted extends Error {}

export class SidecarCopies {
  /**
   * @param _from The user's kernel.
   * @param _to Neither of the two is taken over.
   */
  constructor(
    private readonly _from: KernelHarness,
    private readonly _to: KernelHarness
  ) {}

  /** True when all copies are as the user's kernel has the variables now. */
  get isFresh(): boolean {
    return this._changes === this._from.activity.changes;
  }

  /**
   * Copy what candidate, checks and scorer name. Not at once twice.
   *
   * @throws RefineError kind `kernel`, code `kernel-refused`, when copying takes
   * too long; {@link CopyInterrupted}; the signal's reason when aborted.
   */
  async update(
    job: ExecutionJob,
    signal: AbortSignal,
    onWaiting: (reason: string | null) => void
  ): Promise<Copied> {
    if (!this.isFresh) {
      this._names = [];
      this._without = {};
    }
    this._cloudpickle ??= await this._findCloudpickle(signal);
    for (let failures = 0; failures <= MAX_FAILURES; failures++) {
      // Read before: what a cell changes while this waits for its turn is sent again next time.
      const { changes } = this._from.activity;
      const packed = await this._pack(job, signal, onWaiting);
      if (packed.state === 'same') {
        return { names: this._names, left: packed.left };
      }
      const failed = await this._carry(packed, signal);
      if (failed === null) {
        this._changes = changes;
        this._names = packed.names;
        return { names: packed.names, left: packed.left };
      }
      this._without = { ...this._without, [failed.name]: failed.reason };
    }
    const [name, reason] = Object.entries(this._without).at(-1)!;
    throw cannotCopy(
      `More than ${MAX_FAILURES} variables could not be copied; the last one: ${name}: ${reason}.`
    );
  }

  private async _pack(
    job: ExecutionJob,
    signal: AbortSignal,
    onWaiting: (reason: string | null) => void
  ) {
    const id = UUID.uuid4();
    // Also while it waits behind a cell: its result would not be fetched.
    const onAbort = () => void this._from.cancelShare(id).catch(() => false);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const answer = await this._from.share(
        {
          step: 'pack',
          id,
          candidate: job.candidate,
          others: [
            ...job.assertions.map(cell => cell.source),
            ...job.holdouts.map(cell => cell.source),
            ...(job.scorer ? [job.scorer.source] : []),
            // The scorer is given them without a name for each.
            ...(job.hiddenData ?? [])
          ],
          hidden: job.hiddenNames ?? [],
          known: this._names,
          without: this._without,
          cloudpickle: this._cloudpickle?.name ?? null,
          limitBytes: this._limit,
          seconds: SECONDS
        },
        packSchema,
        signal,
        onWaiting
      );
      if (answer.state !== 'cut') {
        return answer;
      }
      throwIfAborted(signal);
      if (answer.why !== 'late') {
        throw new CopyInterrupted();
      }
      throw cannotCopy(
        `The variables could not be copied within ${SECONDS} s; “${answer.name}” was being copied.`
      );
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** The variable that could not be made in the second kernel; null when all were. */
  private async _carry(
    packed: {
      readonly token: string;
      readonly path: string;
      readonly nonce: string;
      readonly bytes: number;
    },
    signal: AbortSignal
  ): Promise<{ readonly name: string; readonly reason: string } | null> {
    const { path, nonce } = packed;
    const load = (from: string | null) =>
      this._to.share({ step: 'load', path: from, nonce }, loadSchema, signal);
    try {
      let loaded = await load(path);
      if (loaded.state === 'unseen') {
        await this._sendParts(packed, signal);
        loaded = await load(null);
      }
      if (loaded.state === 'unseen') {
        throw cannotCopy('The second kernel did not receive the copies.');
      }
      return loaded.state === 'failed' ? loaded : null;
    } finally {
      // Removed by the second kernel already, unless something went wrong.
      this._aside(this._from, { step: 'drop', token: packed.token });
    }
  }

  /** A step whose answer is not awaited. */
  private _aside(
    kernel: KernelHarness,
    step: { readonly step: string } & Readonly<Record<string, string>>
  ): void {
    kernel
      .share(step, stepSchema, new AbortController().signal)
      .catch(() => undefined);
  }

  private async _sendParts(
    packed: {
      readonly token: string;
      readonly nonce: string;
      readonly bytes: number;
    },
    signal: AbortSignal
  ): Promise<void> {
    const { token, nonce, bytes } = packed;
    this._limit = MESSAGES_LIMIT_BYTES;
    if (bytes > MESSAGES_LIMIT_BYTES) {
      throw cannotCopy(
        `The second kernel does not see this kernel’s files, and the copies are larger than ${MESSAGES_LIMIT_BYTES / 2 ** 20} MB.`
      );
    }
    try {
      for (let offset = 0; offset < bytes; offset += PART_BYTES) {
        const { data } = await this._from.share(
          { step: 'read', token, offset, size: PART_BYTES },
          partSchema,
          signal
        );
        await this._to.share({ step: 'part', nonce, data }, stepSchema, signal);
      }
    } catch (error) {
      this._aside(this._to, { step: 'forget', nonce });
      throw error;
    }
  }

  /** The one that both kernels have. */
  private async _findCloudpickle(
    signal: AbortSignal
  ): Promise<{ readonly name: string | null }> {
    const hello = (kernel: KernelHarness) =>
      kernel.share({ step: 'hello' }, shareHelloSchema, signal);
    const [there, here] = await Promise.all([
      hello(this._to),
      hello(this._from)
    ]);
    const same = there.cloudpickle === here.cloudpickle;
    return { name: same ? (there.cloudpickle ?? null) : null };
  }

  private _changes = -1;
  private _names: readonly string[] = [];
  private _without: Readonly<Record<string, string>> = {};
  private _limit = LIMIT_BYTES;
  private _cloudpickle: { readonly name: string | null } | null = null;
}

export function cannotCopy(message: string): RefineError {
  return new RefineError('kernel', message, { code: 'kernel-refused' });
}
