import * as React from 'react';
import type { SessionState } from '../../core/events/state';
import {
  formatCost,
  hasCostLimit,
  formatElapsed,
  formatTokens
} from '../shared/format';
import { bestText, metricProgress } from '../shared/score';
import { paceWords, usageSoFar } from './pace';
import { usePanelServices } from '../shared/services';
import { useNow } from '../shared/useNow';
import { Sparkline, sparklineOf } from './sparkline';

/** Best so far, tokens, money, time, and the score over attempts. */
export function SessionMeta(props: {
  readonly session: SessionState;
}): JSX.Element {
  const { trans } = usePanelServices();
  const { session } = props;
  const best = bestText(session, trans);
  const facts = [
    metricProgress(session, trans) ??
      (best === null ? null : trans.__('best %1', best)),
    formatTokens(usageSoFar(session), trans),
    paceWords(session, trans),
    session.model?.recorded
      ? null
      : formatCost(session.usage, hasCostLimit(session), trans)
  ].filter((fact): fact is string => fact !== null);
  return (
    <div className="jp-Refine-meta">
      <ul>
        {facts.map(fact => (
          <li key={fact}>{fact}</li>
        ))}
        <li>
          <Elapsed since={session.startedAt} />
        </li>
      </ul>
      <Sparkline {...sparklineOf(session)} open />
    </div>
  );
}

/** Ticks once a second, by itself: the rest of the panel does not render for it. */
function Elapsed(props: { readonly since: number }): JSX.Element {
  const { trans } = usePanelServices();
  const now = useNow();
  return <>{formatElapsed(now - props.since, trans)}</>;
}
