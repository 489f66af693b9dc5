/** Where a running session stands, what it has used, and how to steer it. */
import * as React from 'react';
import { memo, useEffect, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { addUsage, NO_USAGE, type Usage } from '../../core/domain/model';
import { attemptLimit, scoreHistory } from '../../core/events/history';
import type { Metric } from '../../core/domain/verdict';
import type { SessionState } from '../../core/events/state';
import { estimatePrompt, tokensOf } from '../../core/session/budget/budget';
import { duration } from '../../core/text/english';
import { isHeld, statusWords } from './sessionWords';
import { Button } from '../shared/button';
import { formatCost, formatElapsed, formatTokens } from '../shared/format';
import { visibleLine } from '../shared/safeText';
import { bestText, goalWords, metricProgress } from '../shared/score';
import { usePanelServices } from '../shared/services';

/** The state of a running session; Pause and Stop. */
export function StatusLine(props: {
  readonly session: SessionState;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { session } = props;
  const { paused, waiting } = session;
  const held = isHeld(session);
  const { main, phase } = statusWords(session, trans);
  // Then no attempt follows to pause before.
  const isLast = session.attempts.at(-1)?.attempt === attemptLimit(session);
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
            disabled={session.request === null || (isLast && !paused)}
            onClick={() => manager.setPaused(!paused)}
            title={
              paused
                ? trans.__('Continue with the next attempt')
                : trans.__('Pause before the next attempt')
            }
          >
            {paused ? trans.__('Continue') : trans.__('Pause')}
          </Button>
          <Button onClick={() => manager.stop()}>{trans.__('Stop')}</Button>
        </div>
      </div>
      <SessionMeta session={session} />
      {paused && !held ? (
        <p className="jp-Refine-quiet">
          {trans.__('Pauses before the next attempt.')}
        </p>
      ) : null}
      {waiting?.for === 'model' && waiting.reason !== '' ? (
        <p className="jp-Refine-quiet">{visibleLine(waiting.reason)}</p>
      ) : null}
    </section>
  );
}

/** Best so far, tokens, money, time, and the score over attempts. */
function SessionMeta(props: { readonly session: SessionState }): JSX.Element {
  const { trans } = usePanelServices();
  const { session } = props;
  const best = bestText(session, trans);
  const facts = [
    metricProgress(session, trans) ??
      (best === null ? null : trans.__('best %1', best)),
    formatTokens(addUsage(session.usage, openUsage(session)), trans),
    paceWords(session, trans),
    formatCost(session.usage, trans, session)
  ].filter(fact => fact !== null);
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
      <Sparkline {...sparklineOf(session)} />
    </div>
  );
}

/** Ticks once a second, by itself: the rest of the panel does not render for it. */
function Elapsed(props: { readonly since: number }): JSX.Element {
  const { trans } = usePanelServices();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <>{formatElapsed(now - props.since, trans)}</>;
}

const WIDTH = 56;
const HEIGHT = 18;
const MARGIN = 3;

type Line = {
  /** An attempt without a value leaves a gap. */
  readonly values: readonly (number | null)[];
  /** What the values are; null: scores from 0 to 1. */
  readonly metric: Pick<Metric, 'name' | 'goal'> | null;
};

/** Scores, or a metric as it is, over attempts as a small line, where they differ; the best of a metric is marked. */
const Sparkline = memo(function Sparkline(props: Line): JSX.Element | null {
  const { trans } = usePanelServices();
  const { values, metric } = props;
  const points = place(values);
  if (points.every(({ y }) => y === points[0]?.y)) {
    return null;
  }
  const shown = values.map(v => (v === null ? '–' : round(v))).join(', ');
  const best = metric && bestOf(points, metric.goal);
  return (
    <svg
      className="jp-Refine-spark"
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={
        metric
          ? trans.__(
              '%1, %2: %3',
              visibleLine(metric.name),
              goalWords(metric, trans),
              shown
            )
          : trans.__('Scores: %1', shown)
      }
    >
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map((point, i) => (
        <circle
          key={i}
          cx={point.x}
          cy={point.y}
          r={2}
          className={
            point === best
              ? 'jp-mod-best'
              : i === points.length - 1
                ? 'jp-mod-open'
                : undefined
          }
        />
      ))}
    </svg>
  );
});

/** What the line shows: a metric where there is one, else the scores. */
function sparklineOf(session: SessionState): Line {
  const metrics = session.attempts.map(a => a.verdict?.metric ?? null);
  const metric = metrics.find(m => m !== null) ?? null;
  return {
    values: metric ? metrics.map(m => m?.value ?? null) : scoreHistory(session),
    metric
  };
}

type Point = { readonly x: number; readonly y: number };

/** The first of the best: y grows downwards. */
function bestOf(points: readonly Point[], goal: Metric['goal']): Point {
  return points.reduce((best, point) =>
    (goal === 'min' ? point.y > best.y : point.y < best.y) ? point : best
  );
}

function place(values: readonly (number | null)[]): readonly Point[] {
  const known = values.filter((v): v is number => v !== null && isFinite(v));
  const low = Math.min(...known);
  const span = Math.max(...known) - low;
  const step = (WIDTH - 2 * MARGIN) / Math.max(1, values.length - 1);
  return values.flatMap((value, i) =>
    value === null || !isFinite(value)
      ? []
      : {
          x: round(MARGIN + i * step),
          y: round(
            HEIGHT -
              MARGIN -
              ((value - low) / (span || 1)) * (HEIGHT - 2 * MARGIN)
          )
        }
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Of text that came within less, ms, no rate is said. */
const LEAST_MS = 1000;

/** `24 tokens/s, about 5 s left`; null until a model writes. */
function paceWords(
  session: SessionState,
  trans: TranslationBundle
): string | null {
  const { writingSince = session.lastAt } = openAttempt(session) ?? {};
  const written = openUsage(session).completionTokens;
  const ms = session.lastAt - writingSince;
  if (ms < LEAST_MS || written === 0) {
    return null;
  }
  const leftMs = (tokensBefore(session) - written) * (ms / written);
  const rate = Math.max(1, Math.round((written / ms) * 1000));
  return leftMs < LEAST_MS
    ? trans._n('%1 token/s', '%1 tokens/s', rate)
    : trans._n(
        '%1 token/s, about %2 left',
        '%1 tokens/s, about %2 left',
        rate,
        duration(leftMs, trans)
      );
}

/** The attempt whose answer is being read or written. */
function openAttempt({ attempts }: SessionState) {
  return attempts.find(
    ({ phase, usage, prompt }) =>
      phase === 'writing' && usage.calls === 0 && prompt.length > 0
  );
}

/** What its call has used so far, estimated. */
function openUsage(session: SessionState): Usage {
  const attempt = openAttempt(session);
  return attempt
    ? {
        calls: 1,
        promptTokens: estimatePrompt(attempt.prompt),
        completionTokens: tokensOf(
          attempt.thoughts.length + attempt.code.length
        ),
        estimated: true,
        cost: session.usage.cost === null ? null : 0
      }
    : NO_USAGE;
}

/** Tokens of an answer so far, in the mean; 0 before the first one. */
function tokensBefore({ attempts }: SessionState): number {
  const ended = attempts
    .filter(({ phase, usage }) => phase === 'ended' && usage.calls > 0)
    .map(({ usage }) => usage.completionTokens / usage.calls);
  return ended.reduce((sum, n) => sum + n, 0) / Math.max(1, ended.length);
}
