/** The debugger's frame in which a session runs its attempts; reports when the debugger continues. */
import type { IDisposable } from '@lumino/disposable';
import type { PausedFrame } from '../../../../core/domain/frame';

export class RunFrame implements IDisposable {
  /** @param onContinued called as soon as the debugger has continued. */
  constructor(private readonly onContinued: () => void) {}

  /** Undefined when the last run had none, and once the debugger has continued. */
  get current(): PausedFrame | undefined {
    return this.frame?.isPaused() ? this.frame : undefined;
  }

  /** For a run that starts. */
  set(frame: PausedFrame | undefined): void {
    this.unfollow?.();
    this.frame = frame;
    this.unfollow = frame?.onContinued(this.onContinued);
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this.set(undefined);
  }

  private frame: PausedFrame | undefined;
  private unfollow: (() => void) | undefined;
  private _isDisposed = false;
}
