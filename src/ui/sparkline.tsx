import * as React from 'react';
import { memo } from 'react';
import type { SessionState } from '../core/state';
import { usePanelServices } from './services';

const WIDTH = 56;
const HEIGHT = 18;
const MARGIN = 3;

/** Scores over attempts as a small line; an attempt without a score leaves a gap. */
export const Sparkline = memo(function Sparkline(props: {
  readonly values: readonly (number | null)[];
  /** The last point is of an attempt that has not ended. */
  readonly open: boolean;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const points = place(props.values);
  if (points.length < 2) {
    return null;
  }
  return (
    <svg
      className="jp-Refine-spark"
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={trans.__(
        'Scores: %1',
        props.values.map(v => (v === null ? '–' : round(v))).join(', ')
      )}
    >
      <polyline points={points.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(({ x, y }, i) => (
        <circle
          key={i}
          cx={x}
          cy={y}
          r={2}
          className={
            props.open && i === points.length - 1 ? 'jp-mod-open' : undefined
          }
        />
      ))}
    </svg>
  );
});

/** What the line shows: a metric where there is one, else the scores. */
export function sparklineValues(
  session: SessionState
): readonly (number | null)[] {
  const metrics = session.attempts.map(a => a.verdict?.metric?.value ?? null);
  return metrics.some(value => value !== null) ? metrics : session.scoreHistory;
}

function place(values: readonly (number | null)[]) {
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
            span === 0
              ? HEIGHT / 2
              : HEIGHT - MARGIN - ((value - low) / span) * (HEIGHT - 2 * MARGIN)
          )
        }
  );
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
