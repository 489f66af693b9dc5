/** Numbers in words: durations, tokens, money. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Usage } from '../core/model';

/** `4 ms`, `1.9 s`, `2 min 5 s`. */
export function formatDuration(ms: number, trans: TranslationBundle): string {
  if (ms < 999.5) {
    return trans.__('%1 ms', Math.max(0, Math.round(ms)));
  }
  if (ms < 59_950) {
    return trans.__('%1 s', (ms / 1000).toFixed(1));
  }
  const seconds = Math.round(ms / 1000);
  return trans.__('%1 min %2 s', Math.floor(seconds / 60), seconds % 60);
}

/** Whole seconds, for a clock that ticks. */
export function formatElapsed(ms: number, trans: TranslationBundle): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60
    ? trans.__('%1 s', seconds)
    : trans.__('%1 min %2 s', Math.floor(seconds / 60), seconds % 60);
}

/** `2,140 tokens`, `about 2,140 tokens` when the provider told no usage, null without a call. */
export function formatTokens(
  usage: Usage,
  trans: TranslationBundle
): string | null {
  if (usage.calls === 0) {
    return null;
  }
  const tokens = usage.promptTokens + usage.completionTokens;
  const shown = tokens.toLocaleString();
  return usage.estimated
    ? trans._n('about %2 token', 'about %2 tokens', tokens, shown)
    : trans._n('%2 token', '%2 tokens', tokens, shown);
}

/** `$0.004`; two significant digits below a cent; null without a call. An unknown price says so. */
export function formatCost(
  usage: Usage,
  trans: TranslationBundle
): string | null {
  if (usage.calls === 0) {
    return null;
  }
  if (usage.cost === null) {
    return trans.__('cost unknown');
  }
  if (usage.cost === 0) {
    return trans.__('$0');
  }
  return usage.cost < 0.01
    ? `$${Number(usage.cost.toPrecision(1)).toFixed(Math.min(6, Math.max(3, -Math.floor(Math.log10(usage.cost)))))}`
    : `$${usage.cost.toFixed(usage.cost < 1 ? 3 : 2).replace(/0$/, '')}`;
}

/** Four significant digits: `0.412`, `1234`. */
export function formatMetricValue(value: number): string {
  return Number.isFinite(value)
    ? String(Number(value.toPrecision(4)))
    : String(value);
}
