/** The user's hand on a running session: pause, continue and hints. */
import type { DeniedSubject } from '../domain/execution';
import type { EventBody } from '../events/events';

/** Code that the user made of an attempt's, to be run as the next attempt. */
export type EditedCandidate = {
  readonly from: number;
  readonly code: string;
  /** The code is unchanged, and runs again with what was denied to it. */
  readonly allow?: DeniedSubject;
};

/**
 * Given to `refine()` and kept by the owner of the buttons. A pause holds the
 * session between attempts; the running attempt finishes. What is said while no
 * session listens is the next one's.
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

  /** Goes into the next prompt and all later ones. Blank text is ignored. */
  hint(text: string): void {
    if (text.trim() !== '') {
      this._say({ type: 'hint', text: text.trim() });
    }
  }

  /** The next attempts refine this one. */
  base(attempt: number): void {
    this._say({ type: 'base', attempt });
  }

  /** Run this as the next attempt, without a call; a later one takes the place of one that has not started. */
  edit(candidate: EditedCandidate): void {
    this._edited = candidate;
  }

  /** True while an edited candidate has not started. */
  get hasEdited(): boolean {
    return this._edited !== null;
  }

  /** The edited candidate; it is the caller's then. */
  takeEdited(): EditedCandidate | null {
    const edited = this._edited;
    this._edited = null;
    return edited;
  }

  /** All that is said becomes an event, until the returned function is called. */
  follow(emit: (event: EventBody) => void): () => void {
    this._emit = emit;
    this._unsaid.splice(0).forEach(emit);
    return () => {
      this._emit = null;
    };
  }

  /** Resolves at once when not paused. */
  async waitWhilePaused(): Promise<void> {
    while (this._paused) {
      await new Promise<void>(resolve => (this._wake = resolve));
    }
  }

  private _setPaused(paused: boolean): void {
    if (this._paused !== paused) {
      this._paused = paused;
      this._say({ type: 'pause', paused });
      this._wake();
    }
  }

  private _say(event: EventBody): void {
    if (this._emit) {
      this._emit(event);
    } else {
      this._unsaid.push(event);
    }
  }

  private _paused = false;
  private _edited: EditedCandidate | null = null;
  private _emit: ((event: EventBody) => void) | null = null;
  private readonly _unsaid: EventBody[] = [];
  private _wake: () => void = () => undefined;
}
