/** Scores of attempts, in words and tones. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { confirmedCounts } from '../../core/domain/checks/confirmation';
import { unconfirmedLabel } from '../../core/text/confirmationWords';
import { isUsable } from '../../core/events/best';
import {
  assertionCounts,
  unfinished,
  type Counts
} from '../../core/events/counts';
import type { SessionState, AttemptState } from '../../core/events/state';
import type { Metric } from '../../core/domain/verdict';
import { formatMetricValue } from './format';

export type Tone = 'pass' | 'some' | 'none' | 'busy' | 'quiet';

export type Chip = {
  readonly text: string;
  readonly tone: Tone;
  /** The same for a screen reader, where the text has signs in it. */
  readonly label?: string;
};

/**
 * The chip at the end of an attempt's row.
 *
 * @param waiting the session waits for the user because of it.
 */
export function attemptChip(
  attempt: AttemptState,
  waiting: boolean,
  trans: TranslationBundle
): Chip {
  if (waiting && attempt.phase !== 'ended') {
    return { text: trans.__('waiting for you'), tone: 'busy' };
  }
  switch (attempt.phase) {
    case 'writing':
      return { text: trans.__('writing'), tone: 'busy' };
    case 'running':
      return { text: trans.__('running'), tone: 'busy' };
    case 'judging':
      return { text: trans.__('judging'), tone: 'busy' };
    case 'ended':
      return endedChip(attempt, trans);
  }
}

function endedChip(attempt: AttemptState, trans: TranslationBundle): Chip {
  const { verdict, failure } = attempt;
  const reason = unfinished(attempt);
  if (reason !== null) {
    const text =
      reason === 'stopped' ? trans.__('stopped') : trans.__('not run');
    return { text, tone: 'quiet' };
  }
  if (failure !== null) {
    return failure.code === 'disputed'
      ? { text: trans.__('objection'), tone: 'none' }
      : { text: trans.__('no answer'), tone: 'none' };
  }
  if (verdict?.metric) {
    return {
      ...metricChip(verdict.metric, attempt.best, trans),
      tone: verdict.evaluation === 'pass' ? 'pass' : 'some'
    };
  }
  const counts = assertionCounts(attempt);
  if (counts !== null) {
    const unmeasured = attempt.execution?.scored?.error
      ? attempt.execution.scored.name
      : null;
    const text = countsText(counts, trans);
    const confirmed = confirmedCounts(attempt);
    const open = confirmed ? unconfirmedLabel(confirmed, trans) : '';
    return {
      text:
        unmeasured === null ? text : trans.__('%1, no %2', text, unmeasured),
      ...(open === '' ? {} : { label: trans.__('%1, %2', text, open) }),
      tone:
        verdict?.evaluation === 'pass'
          ? open === ''
            ? 'pass'
            : 'some'
          : counts.passed > 0
            ? 'some'
            : 'none'
    };
  }
  switch (verdict?.evaluation) {
    case 'pass':
      return { text: trans.__('accepted'), tone: 'pass' };
    case 'needs-improvement':
      return { text: trans.__('to improve'), tone: 'some' };
    case 'fail':
      return { text: trans.__('failed'), tone: 'none' };
    case 'unknown':
      return verdict.evaluator === 'repair'
        ? { text: trans.__('runs'), tone: 'quiet' }
        : { text: trans.__('not checked'), tone: 'quiet' };
    case undefined:
      return { text: trans.__('not checked'), tone: 'quiet' };
  }
}

export function countsText(counts: Counts, trans: TranslationBundle): string {
  return trans.__('%1 of %2', counts.passed, counts.total);
}

export function metricText(metric: Metric): string {
  const value = formatMetricValue(metric.value);
  return metric.unit
    ? `${metric.name} ${value} ${metric.unit}`
    : `${metric.name} ${value}`;
}

/** `RMSE 0.42 ↓ best`: the arrow is where it should go. */
function metricChip(
  metric: Metric,
  best: boolean,
  trans: TranslationBundle
): Pick<Chip, 'text' | 'label'> {
  const text = metricText(metric);
  const arrow = metric.goal === 'min' ? '↓' : '↑';
  const goal = goalWords(metric, trans);
  return best
    ? {
        text: trans.__('%1 %2 best', text, arrow),
        label: trans.__('%1, %2, best so far', text, goal)
      }
    : { text: `${text} ${arrow}`, label: `${text}, ${goal}` };
}

/** Where a metric should go. */
export function goalWords(
  { goal }: Pick<Metric, 'goal'>,
  trans: TranslationBundle
): string {
  return goal === 'min'
    ? trans.__('lower is better')
    : trans.__('higher is better');
}

/** The best attempt so far, in words: `3 of 4`, `RMSE 0.287`; null without one. */
export function bestText(
  session: SessionState,
  trans: TranslationBundle
): string | null {
  const best = session.attempts.find(a => a.attempt === session.best);
  if (best === undefined) {
    return null;
  }
  if (best.verdict?.metric) {
    return metricText(best.verdict.metric);
  }
  const counts = assertionCounts(best);
  return counts !== null
    ? countsText(counts, trans)
    : isUsable(best)
      ? trans.__('attempt %1', best.attempt)
      : null;
}

/** A metric over the session: `RMSE 0.412 → 0.287, target 0.25`; null without a metric. */
export function metricProgress(
  session: SessionState,
  trans: TranslationBundle
): string | null {
  const metrics = session.attempts.flatMap(a => a.verdict?.metric ?? []);
  const [first] = metrics;
  if (!first) {
    return null;
  }
  const values = metrics.map(m => m.value);
  const best = first.goal === 'min' ? Math.min(...values) : Math.max(...values);
  const unit = first.unit ? ` ${first.unit}` : '';
  const from =
    best === first.value ? '' : `${formatMetricValue(first.value)} → `;
  const progress = `${first.name} ${from}${formatMetricValue(best)}${unit}`;
  const target = session.request?.options.targetScore ?? null;
  return target === null
    ? progress
    : trans.__('%1, target %2', progress, formatMetricValue(target));
}
