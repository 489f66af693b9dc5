/** The user's hand on a running session: pause, continue and hints. */
import type { DeniedSubject } from '../domain/denied';
import { untilAborted } from './abort';

/** Code that the user made of an attempt's, to be run as the next attempt. */
export type EditedCandidate = {
  readonly from: number;
  readonly code: string;
  /** The code is unchanged, and runs again with what was denied to it. */
  readonly allow?: DeniedSubject;
};

/**
 * Given to `refine()` and kept by the owner of the buttons. A pause holds the
 * session between attempts; the running attempt finishes.
 */
export class Steering {
  get paused(): boolean {
    return this._paused;
  }

  pause(): void {
    this._setPaused(true);
  }

  continue(): void {
    this._setPaused(false);
  }

  /** One attempt, then a pause: of a session that is paused, or before its first attempt. */
  step(): void {
    this._steps = 1;
    this._setPaused(true);
    this._tell();
  }

  /** Goes into the next prompt and all later ones. Blank text is ignored. */
  hint(text: string): void {
    const hint = text.trim();
    if (hint !== '') {
      this._hints.push(hint);
      this._tell();
    }
  }

  /** The next attempts refine this one. */
  base(attempt: number): void {
    this._base = attempt;
    this._tell();
  }

  /** Run this as the next attempt, without a call; a later one takes the place of one that has not started. */
  edit(candidate: EditedCandidate): void {
    this._edited = candidate;
  }

  /** True while an edited candidate has not started. */
  get hasEdited(): boolean {
    return this._edited !== null;
  }

  /** The base chosen since the last call; it is the caller's then. */
  takeBase(): number | null {
    const base = this._base;
    this._base = null;
    return base;
  }

  /** The same of an edited candidate. */
  takeEdited(): EditedCandidate | null {
    const edited = this._edited;
    this._edited = null;
    return edited;
  }

  /** The hints given since the last call; they are the caller's then. */
  takeHints(): string[] {
    return this._hints.splice(0);
  }

  /** Resolves at once when not paused or for a step, which it uses up; rejects with the signal's reason when aborted. */
  waitWhilePaused(signal: AbortSignal): Promise<void> {
    let unlisten: () => void = () => undefined;
    const goesOn = new Promise<void>(resolve => {
      const look = () => this._mayGoOn() && resolve();
      unlisten = this.onChange(look);
      look();
    });
    return untilAborted(goesOn, signal).finally(() => unlisten());
  }

  /** Call `listener` on every change; the result ends that. */
  onChange(listener: () => void): () => void {
    this._listeners.add(listener);
    return () => this._listeners.delete(listener);
  }

  private _mayGoOn(): boolean {
    if (this._paused && this._steps === 0) {
      return false;
    }
    this._steps = 0;
    return true;
  }

  private _setPaused(paused: boolean): void {
    if (this._paused !== paused) {
      this._paused = paused;
      this._tell();
    }
  }

  private _tell(): void {
    for (const listener of [...this._listeners]) {
      listener();
    }
  }

  private _paused = false;
  private _steps = 0;
  private _hints: string[] = [];
  private _base: number | null = null;
  private _edited: EditedCandidate | null = null;
  private _listeners = new Set<() => void>();
}
