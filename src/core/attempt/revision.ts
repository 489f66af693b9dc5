/** Keeps the checks of a running session those that the notebook holds. */
import { hasSameChecks } from '../domain/checks/checks';
import type { CheckDeps } from '../deps';
import type { RefineRequest, RequestChecks } from '../domain/request';
import type { Session } from '../session/session';
import type { AttemptContext } from './context';

/** The context of attempts against other checks. */
type Rebuild = (request: RefineRequest) => AttemptContext;

export class CheckRevisions {
  constructor(
    private readonly _session: Session,
    private readonly _deps: Pick<CheckDeps, 'checksNow'>,
    private readonly _rebuild: Rebuild
  ) {}

  /**
   * What attempts go by from now on: `context` itself while the checks are those
   * it was made for. Waits while somebody is editing them.
   */
  async follow(context: AttemptContext): Promise<AttemptContext> {
    const checks = await this._read();
    const { request } = this._session.state;
    if (checks && request && !hasSameChecks(request, checks)) {
      this._latest = this._change(request, checks);
    }
    const latest = this._latest;
    return latest === null || latest.request === context.request
      ? context
      : latest;
  }

  private async _read(): Promise<RequestChecks | null> {
    const { checksNow } = this._deps;
    const checks = checksNow?.(this._session.scope.signal) ?? null;
    return checks instanceof Promise
      ? this._session.waitFor('edit', 'A check is being edited.', checks)
      : checks;
  }

  private _change(
    before: RefineRequest,
    checks: RequestChecks
  ): AttemptContext {
    const session = this._session;
    const request = { ...before, scorer: undefined, ...checks };
    session.emit({ type: 'checks-changed', checks });
    session.warn(changedText(session));
    return this._rebuild(request);
  }

  private _latest: AttemptContext | null = null;
}

/** The first attempt that the new checks count for: one that has not ended, else the next. */
function changedText({ state }: Session): string {
  const open = state.attempts.find(attempt => attempt.phase !== 'ended');
  const attempt = open?.attempt ?? (state.attempts.at(-1)?.attempt ?? 0) + 1;
  return attempt === 0
    ? 'The checks were edited while the current code was checked. The new ones count.'
    : `The checks were edited during the session. The new ones count from attempt ${attempt} on.`;
}
