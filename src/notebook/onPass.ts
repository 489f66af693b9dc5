/** What happens to the cell after a pass; pure. */
import {
  passConfirmation,
  type Confirmation
} from '../core/domain/checks/confirmation';
import {
  isEverywhere,
  unconfirmedLines,
  unconfirmedSummary
} from '../core/text/confirmationWords';
import type { Translation } from '../core/text/english';
import type { Execution } from '../core/domain/execution';
import type { OnPass } from '../core/options';

/** Why running the cell for real may do more than the attempt did. */
export type PassDoubt =
  | { readonly type: 'not-isolated'; readonly reasons: readonly string[] }
  | { readonly type: 'files-open' }
  | { readonly type: 'network-open' }
  | {
      readonly type: 'wrote';
      readonly files: readonly string[];
      /** True when the files vanished with the attempt. */
      readonly discarded: boolean;
    }
  | { readonly type: 'denied'; readonly what: readonly string[] }
  | {
      readonly type: 'not-confirmed';
      readonly confirmation: Confirmation;
    };

export type PassDecision =
  | { readonly action: 'run' }
  | { readonly action: 'insert' }
  | { readonly action: 'ask'; readonly doubts: readonly PassDoubt[] };

/** Everything that speaks against running the cell unasked; empty when the attempt left no trace, wanted none and was confirmed. */
function doubtsOf(execution: Execution): readonly PassDoubt[] {
  const { isolation } = execution;
  const doubts: PassDoubt[] = [];
  if (isolation.mode === 'live' || !isolation.memory) {
    doubts.push({ type: 'not-isolated', reasons: isolation.reasons });
  }
  if (isolation.files === 'open') {
    doubts.push({ type: 'files-open' });
  }
  if (!isolation.network) {
    doubts.push({ type: 'network-open' });
  }
  if (execution.filesWritten.length > 0) {
    doubts.push({
      type: 'wrote',
      files: execution.filesWritten,
      discarded: isolation.files === 'overlay'
    });
  }
  if (execution.denied.length > 0) {
    doubts.push({ type: 'denied', what: execution.denied });
  }
  const confirmation = passConfirmation(execution);
  if (confirmation && confirmation.reasons.length > 0) {
    doubts.push({ type: 'not-confirmed', confirmation });
  }
  return doubts;
}

/** What the user allowed to happen for real: then it is no reason to ask again. */
export type AllowedForReal = {
  /** Attempts ran in the kernel itself by the user's own choice. */
  readonly live?: boolean;
  /** Attempts could write files for real, and have. */
  readonly files?: boolean;
  /** Attempts could reach the network, and have. */
  readonly network?: boolean;
};

/**
 * The one place that decides whether a passed cell is written, and whether running it is harmless.
 *
 * @param execution of the attempt that passed; null when none was recorded, which is never run unasked.
 */
export function decideOnPass(
  onPass: OnPass,
  execution: Execution | null,
  allowed: AllowedForReal = {}
): PassDecision {
  if (onPass === 'insert') {
    return { action: 'insert' };
  }
  const doubts: readonly PassDoubt[] = execution
    ? doubtsOf(execution).filter(doubt => !isAllowed(doubt, allowed))
    : [{ type: 'not-isolated', reasons: [] }];
  return onPass === 'auto' && doubts.length === 0
    ? { action: 'run' }
    : { action: 'ask', doubts };
}

/** True when the attempt left no trace and wanted none: running its code again does not either. */
export function isHarmless(execution: Execution | null): boolean {
  return execution !== null && doubtsOf(execution).length === 0;
}

function isAllowed(doubt: PassDoubt, allowed: AllowedForReal): boolean {
  switch (doubt.type) {
    case 'not-isolated':
      return allowed.live === true;
    case 'files-open':
      return allowed.files === true;
    case 'network-open':
      return allowed.network === true;
    case 'not-confirmed':
      // Whoever chose the live kernel chose to do without a separate process.
      return allowed.live === true && isEverywhere(doubt.confirmation);
    case 'wrote':
    case 'denied':
      return false;
  }
}

/** A doubt in a sentence; one that lists checks has a line for each. */
export function doubtSentence(doubt: PassDoubt, trans: Translation): string {
  switch (doubt.type) {
    case 'not-isolated':
      return [
        trans.__('The attempt ran in the live kernel, not isolated.'),
        ...doubt.reasons
      ].join(' ');
    case 'files-open':
      return trans.__('The attempt’s file writes could not be isolated.');
    case 'network-open':
      return trans.__('The attempt could reach the network.');
    case 'wrote':
      return doubt.discarded
        ? trans.__(
            'The attempt wrote %1 (discarded). Running the cell writes for real.',
            doubt.files.join(', ')
          )
        : trans.__('The attempt wrote %1.', doubt.files.join(', '));
    case 'denied':
      return trans.__('Blocked: the attempt %1.', doubt.what.join('; '));
    case 'not-confirmed':
      return [
        unconfirmedSummary(doubt.confirmation, trans),
        ...unconfirmedLines(doubt.confirmation, trans).map(line => `• ${line}`)
      ].join('\n');
  }
}
