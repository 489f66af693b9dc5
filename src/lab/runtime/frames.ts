/** Turns many changes into at most one call per animation frame. */
import type { IDisposable } from '@lumino/disposable';

/** Milliseconds between calls while the page is hidden, where no frame is ever drawn. */
const HIDDEN_MS = 250;

export class FrameBatcher implements IDisposable {
  constructor(private readonly flush: () => void) {}

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** Ask for one call with the next frame; asking again before it changes nothing. */
  request(): void {
    if (this.cancel || this.disposed) {
      return;
    }
    const run = () => {
      this.cancel = null;
      this.flush();
    };
    if (document.visibilityState === 'hidden') {
      const timer = setTimeout(run, HIDDEN_MS);
      this.cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      this.cancel = () => cancelAnimationFrame(frame);
    }
  }

  /** Call now, and not again for what was asked before. */
  flushNow(): void {
    this.cancel?.();
    this.cancel = null;
    if (!this.disposed) {
      this.flush();
    }
  }

  dispose(): void {
    this.cancel?.();
    this.cancel = null;
    this.disposed = true;
  }

  private cancel: (() => void) | null = null;
  private disposed = false;
}
