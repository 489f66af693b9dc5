/** Numbers in words: durations, tokens, money. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { ExecutionError } from '../../core/domain/execution';
import type { Usage } from '../../core/domain/model';
import type { SessionState } from '../../core/events/state';

/** `<1 ms`, `4 ms`, `1.9 s`, `2 min 5 s`. */
export function formatDuration(ms: number, trans: TranslationBundle): string {
  if (ms < 0.5) {
    return trans.__('<1 ms');
  }
  if (ms < 999.5) {
    return trans.__('%1 ms', Math.round(ms));
  }
  if (ms < 59_950) {
    return trans.__('%1 s', (ms / 1000).toFixed(1));
  }
  return formatElapsed(Math.round(ms / 1000) * 1000, trans);
}

/** What is said of something that was thrown. */
export function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** `KeyError: 'a'` */
export function errorText({
  name,
  message
}: Pick<ExecutionError, 'name' | 'message'>): string {
  return message === '' ? name : `${name}: ${message}`;
}

/** Whole seconds, for a clock that ticks. */
export function formatElapsed(ms: number, trans: TranslationBundle): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60
    ? trans.__('%1 s', seconds)
    : trans.__('%1 min %2 s', Math.floor(seconds / 60), seconds % 60);
}

/** `2,140 tokens`, `about 2,140 tokens` when the provider sent no usage, null where none was used. */
export function formatTokens(
  usage: Usage,
  trans: TranslationBundle
): string | null {
  const tokens = usage.promptTokens + usage.completionTokens;
  if (tokens === 0) {
    return null;
  }
  const shown = tokens.toLocaleString();
  return usage.estimated
    ? trans._n('about %2 token', 'about %2 tokens', tokens, shown)
    : trans._n('%2 token', '%2 tokens', tokens, shown);
}

/**
 * `$0.004`; null where no token was used, or answers are recorded.
 * An unknown price says so where it leaves a cost limit unchecked.
 */
export function formatCost(
  usage: Usage,
  trans: TranslationBundle,
  { request, model }: Partial<Pick<SessionState, 'request' | 'model'>> = {}
): string | null {
  if (usage.promptTokens + usage.completionTokens === 0 || model?.recorded) {
    return null;
  }
  if (usage.cost === null) {
    const isLimited = (request?.options.maxCost ?? null) !== null;
    return isLimited ? trans.__('cost unknown') : null;
  }
  return trans.__('$%1', dollars(usage.cost));
}

/** Cents from one dollar on, else tenths of a cent; one digit of what is less. */
function dollars(cost: number): string {
  if (cost === 0 || cost >= 1) {
    return cost === 0 ? '0' : cost.toFixed(2);
  }
  return cost >= 0.001
    ? cost.toFixed(3).replace(/0$/, '')
    : cost.toFixed(Math.min(9, Math.ceil(-Math.log10(cost))));
}

/** Four significant digits of a fraction: `0.412`; bytes and counts in full: `123456`. */
export function formatMetricValue(value: number): string {
  if (Number.isSafeInteger(value)) {
    return String(value);
  }
  return Number.isFinite(value)
    ? String(Number(value.toPrecision(4)))
    : String(value);
}
