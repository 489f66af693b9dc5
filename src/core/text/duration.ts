/** `12 s`, `1.5 s`, `5 min`. */
export function duration(ms: number): string {
  if (ms >= 120_000) {
    return `${Math.round(ms / 60_000)} min`;
  }
  return `${Math.round(ms / 100) / 10} s`;
}
