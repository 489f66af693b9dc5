/** How long a provider asks to wait. */

/**
 * Milliseconds from `retry-after-ms` or `Retry-After` (seconds or an HTTP
 * date, seen from `now`); null when neither is there or readable.
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const exact = number(headers.get('retry-after-ms'));
  if (exact !== null) {
    return exact;
  }
  const value = headers.get('retry-after');
  const seconds = number(value);
  if (seconds !== null) {
    return seconds * 1000;
  }
  const date = value ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function number(text: string | null): number | null {
  const value = text?.trim() ? Number(text) : NaN;
  return Number.isFinite(value) && value >= 0 ? value : null;
}
