import * as React from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { SessionState } from '../../core/events/state';
import { pastDate, type HistoryView, type PastSession } from '../../tokens';
import { AttemptList } from '../attempts/attemptList';
import { PartLine } from '../prompt/promptSection';
import { Button } from '../shared/button';
import { visibleLine, visibleText } from '../shared/safeText';
import { ReadOnlyContext, usePanelServices } from '../shared/services';

/** Earlier sessions of the notebook, or one of them to read, in place of the current one. */
export function History(props: { readonly history: HistoryView }): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { entries, shown } = props.history;
  if (shown) {
    const { entry, session } = shown;
    return (
      <ReadOnlyContext.Provider value={true}>
        <section className="jp-Refine-section jp-Refine-banner">
          <h3 tabIndex={-1} data-refine-landing="">
            {titleOf(entry, trans)}
          </h3>
          <p className="jp-Refine-quiet">
            {pastDate(entry)} · {trans.__('read only')}
          </p>
          <p>{visibleText(session.request?.prompt ?? '')}</p>
          {session.acceptance ? (
            <p className="jp-Refine-quiet">
              {acceptanceText(session.acceptance, trans)}
            </p>
          ) : null}
          <PartLine session={session} />
          <div className="jp-Refine-buttons">
            <Button onClick={() => manager.openPast(null)}>
              {trans.__('Back to the list')}
            </Button>
          </div>
        </section>
        <AttemptList key={entry.id} session={session} />
      </ReadOnlyContext.Provider>
    );
  }
  return (
    <section className="jp-Refine-section jp-Refine-history">
      <h3 tabIndex={-1} data-refine-landing="">
        {trans.__('Earlier sessions of this notebook')}
      </h3>
      {entries.length === 0 ? (
        <p className="jp-Refine-quiet">
          {trans.__('There is none yet. Sessions appear here when they end.')}
        </p>
      ) : (
        <ul>
          {entries.map(entry => (
            <li key={entry.id}>
              <button
                type="button"
                className="jp-Refine-pastSession"
                onClick={() => perform(() => manager.openPast(entry.id))}
              >
                <span>{titleOf(entry, trans)}</span>
                <span className="jp-Refine-quiet">
                  {[pastDate(entry), visibleLine(entry.prompt, 80)]
                    .filter(part => part !== '')
                    .join(' · ')}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="jp-Refine-buttons">
        <Button onClick={() => manager.showHistory(false)}>
          {trans.__('Back to the session')}
        </Button>
      </div>
      <p className="jp-Refine-quiet">
        {trans.__(
          'Kept in this browser, without hold-outs; never in the notebook.'
        )}
      </p>
    </section>
  );
}

/** What became of the cell, as far as the session was kept. */
function acceptanceText(
  { attempt, status }: NonNullable<SessionState['acceptance']>,
  trans: TranslationBundle
): string {
  return status === 'restored'
    ? trans.__('The cell was restored.')
    : status === 'unchanged'
      ? trans.__('The cell already contained attempt %1.', attempt)
      : trans.__('Attempt %1 was written into the cell.', attempt);
}

/** `Cell 3: passed on attempt 2` */
function titleOf(
  { cell, passedOn, attempts }: PastSession,
  trans: TranslationBundle
): string {
  return passedOn === null
    ? trans._n(
        'Cell %2: %1 attempt, no pass',
        'Cell %2: %1 attempts, no pass',
        attempts,
        cell
      )
    : passedOn === 0
      ? trans.__('Cell %1: already passed', cell)
      : trans.__('Cell %1: passed on attempt %2', cell, passedOn);
}
