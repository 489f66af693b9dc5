import { english } from './english';
import type { Translation } from './english';

/** `12 s`, `1.5 s`, `5 min`. */
export function duration(ms: number, trans: Translation = english): string {
  return ms >= 120_000
    ? trans.__('%1 min', Math.round(ms / 60_000))
    : trans.__('%1 s', Math.round(ms / 100) / 10);
}
