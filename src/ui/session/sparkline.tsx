import * as React from 'react';
import { memo } from 'react';
import type { SessionState } from '../../core/events/state';
import type { Metric } from '../../core/domain/verdict';
import { visibleLine } from '../shared/safeText';
import { goalWords } from '../shared/score';
import { usePanelServices } from '../shared/services';

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
export const Sparkline = memo(function Sparkline(
  props: Line & {
    /** The last point is of an attempt that has not ended. */
    readonly open: boolean;
  }
): JSX.Element | null {
  const { trans } = usePanelServices();
  const { values, metric, open } = props;
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
              : open && i === points.length - 1
                ? 'jp-mod-open'
                : undefined
          }
        />
      ))}
    </svg>
  );
});

/** What the line shows: a metric where there is one, else the scores. */
export function sparklineOf(session: SessionState): Line {
  const metrics = session.attempts.map(a => a.verdict?.metric ?? null);
  const metric = metrics.find(m => m !== null) ?? null;
  return {
    values: metric ? metrics.map(m => m?.value ?? null) : session.scoreHistory,
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
