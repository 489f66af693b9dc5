import * as React from 'react';
import { attemptLimit } from '../../core/events/history';
import type { SessionState } from '../../core/events/state';
import { modelWaitSentence } from '../../core/text/waitWords';
import { Button } from '../shared/button';
import { visibleLine } from '../shared/safeText';
import { SessionMeta } from './sessionMeta';
import { isHeld, statusWords } from './sessionWords';
import { usePanelServices } from '../shared/services';

/** The state of a running session; Pause, Step and Stop. */
export function StatusLine(props: {
  readonly session: SessionState;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { session } = props;
  const { paused, waiting } = session;
  const held = isHeld(session);
  const { main, phase } = statusWords(session, trans);
  return (
    <section className="jp-Refine-status" aria-label={trans.__('Progress')}>
      <div className="jp-Refine-statusLine">
        <p>
          <strong>{main}</strong>
          {phase === null ? null : (
            <span className="jp-Refine-phase">
              {' · '}
              {visibleLine(phase)}
            </span>
          )}
        </p>
        <div className="jp-Refine-buttons">
          <Button
            disabled={session.request === null}
            onClick={() => manager.setPaused(!paused)}
            title={
              paused
                ? trans.__('Continue with the next attempt')
                : trans.__('Pause before the next attempt')
            }
          >
            {paused ? trans.__('Continue') : trans.__('Pause')}
          </Button>
          {held ? (
            <Button
              onClick={() => manager.step()}
              title={trans.__('Make one attempt, then pause again')}
            >
              {trans.__('Step')}
            </Button>
          ) : null}
          <Button onClick={() => manager.stop()}>{trans.__('Stop')}</Button>
        </div>
      </div>
      <Meter session={session} />
      <SessionMeta session={session} />
      {paused && !held ? (
        <p className="jp-Refine-quiet">
          {trans.__('Pauses before the next attempt.')}
        </p>
      ) : null}
      {waiting?.for === 'model' && waiting.reason !== '' ? (
        <p className="jp-Refine-quiet">
          {visibleLine(
            waiting.model
              ? modelWaitSentence(waiting.model, trans)
              : waiting.reason
          )}
        </p>
      ) : null}
    </section>
  );
}

/** Attempts started, of those allowed. */
function Meter(props: { readonly session: SessionState }): JSX.Element {
  const { trans } = usePanelServices();
  const { session } = props;
  const current = session.attempts[session.attempts.length - 1]?.attempt ?? 0;
  const limit = attemptLimit(session);
  const within =
    session.phase === 'running' ? 0.5 : session.phase === 'judging' ? 0.8 : 0.1;
  const part = Math.max(0, (current - 1 + within) / limit);
  return (
    <div
      className="jp-Refine-meter"
      role="progressbar"
      aria-label={trans.__('Attempts')}
      aria-valuemin={0}
      aria-valuemax={limit}
      aria-valuenow={current}
    >
      <div style={{ transform: `scaleX(${part})` }} />
    </div>
  );
}
