/** `12 s`, `1.5 s`, `5 min`. */
import { sentence } from '../messages/sentence';

export function duration(ms: number): string {
  if (ms >= 120_000) {
    return sentence('duration.minutes', Math.round(ms / 60_000));
  }
  return sentence('duration.seconds', Math.round(ms / 100) / 10);
}
