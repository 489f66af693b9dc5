import type { TranslationBundle } from '@jupyterlab/translation';
import type { RefineRequest } from '../../core/request';
import type { AttemptState, SessionState } from '../../core/state';
import type { AcceptState, RefineView } from '../../tokens';
import type { CleanResult } from './cleanCheck';
import { errorSentence } from './words';

/** The session whose attempt is repeated. */
type CheckedSession = {
  readonly state: SessionState | null;
  readonly acceptance: { readonly state: AcceptState | null };
  readonly lifetime: AbortSignal;
  attempt(number: number): AttemptState | null;
};

/** The last check of a session's attempt in a clean kernel; one at a time. */
export class CleanChecks {
  constructor(
    private readonly trans: TranslationBundle,
    private readonly onChange: () => void
  ) {}

  get state(): RefineView['cleanCheck'] {
    return this._state;
  }

  forget(): void {
    this._state = null;
  }

  /** Repeat what was accepted, or else the best attempt; never rejects. */
  async run(
    session: CheckedSession,
    check: (
      request: RefineRequest,
      candidate: string,
      signal: AbortSignal
    ) => Promise<CleanResult>
  ): Promise<void> {
    const { state, acceptance, lifetime } = session;
    const number = acceptance.state?.attempt ?? state?.outcome?.best?.attempt;
    const attempt = number === undefined ? null : session.attempt(number);
    if (!state?.request || !attempt || this._state?.status === 'running') {
      return;
    }
    this.set({
      status: 'running',
      message: this.trans.__('Running the cells above in a clean kernel.')
    });
    try {
      this.set(await check(state.request, attempt.code, lifetime));
    } catch (reason) {
      this.set({
        status: 'failed',
        message: errorSentence(reason, this.trans)
      });
    }
  }

  private set(state: RefineView['cleanCheck']): void {
    this._state = state;
    this.onChange();
  }

  private _state: RefineView['cleanCheck'] = null;
}
