/** What is said of checks that no separate process confirmed; panel and command line say the same. */
import {
  NO_SEPARATE_PROCESS,
  type Confirmation,
  type Unconfirmed
} from '../domain/checks/confirmation';
import type { Translation } from './english';

/** `1 of 4 checks not confirmed`, `not confirmed`; empty when all are. */
export function unconfirmedLabel(
  { n, of }: Pick<Confirmation, 'n' | 'of'>,
  trans: Translation
): string {
  if (n === of) {
    return '';
  }
  return n === 0
    ? trans.__('not confirmed')
    : trans.__('%1 of %2 checks not confirmed', of - n, of);
}

/**
 * The same as a sentence, with the reason where it is one for all. Empty when
 * all are confirmed.
 */
export function unconfirmedSummary(
  found: Confirmation,
  trans: Translation
): string {
  const { n, of } = found;
  if (n === of) {
    return '';
  }
  if (isEverywhere(found)) {
    return trans.__(
      'The checks passed but are not confirmed: this kernel has no separate process to confirm them.'
    );
  }
  return trans.__(
    '%1 of %2 checks passed but could not be confirmed in a separate process.',
    of - n,
    of
  );
}

/** Which and why, a line each; none where the summary says it. */
export function unconfirmedLines(
  found: Confirmation,
  trans: Translation
): readonly string[] {
  return isEverywhere(found)
    ? []
    : found.reasons.map(check =>
        trans.__('%1: %2.', checkName(check, trans), check.reason)
      );
}

/** True where no check is confirmed since nothing could confirm one. */
export function isEverywhere({ n, reasons }: Confirmation): boolean {
  return (
    n === 0 &&
    reasons.length > 0 &&
    reasons.every(({ reason }) => reason === NO_SEPARATE_PROCESS)
  );
}

/** The first line of the check; where it is hidden, its place. */
export function checkName(
  { role, source, line }: Unconfirmed,
  trans: Translation
): string {
  return role === 'assertion'
    ? source.trim().split('\n', 1)[0] || trans.__('line %1', line)
    : role === 'holdout'
      ? trans.__('hold-out, line %1', line)
      : trans.__('scorer');
}
