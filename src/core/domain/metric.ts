/** A metric as prompts and verdicts show it. */
import type { Metric } from './verdict';

/** `4.25 s`, in six digits at most. */
export function formatMetric({
  value,
  unit
}: Pick<Metric, 'value' | 'unit'>): string {
  return `${Number(value.toPrecision(6))}${unit ? ` ${unit}` : ''}`;
}
