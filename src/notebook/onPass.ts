/** What happens to the cell after a pass; pure. */
import { passConfirmation } from '../core/domain/checks/confirmation';
import {
  isEverywhere,
  unconfirmedLines,
  unconfirmedSummary
} from '../core/text/confirmationWords';
import { english, type Translation } from '../core/text/english';
import type { Execution } from '../core/domain/execution';
import type { OnPass } from '../core/settings';

/** What the user allowed to happen for real: attempts in the kernel itself, that write files or reach the network, and have. */
type Allowed = Readonly<Partial<Record<'live' | 'files' | 'network', boolean>>>;

/**
 * The one place that decides whether a passed cell is written, and whether running it is harmless.
 *
 * @param execution of the attempt that passed; null when none was recorded, which is never run unasked.
 * @returns the doubts are sentences; one that lists checks has a line for each.
 */
export function decideOnPass(
  onPass: OnPass,
  execution: Execution | null,
  trans: Translation,
  allowed: Allowed = {}
) {
  if (onPass === 'insert') {
    return { action: onPass, doubts: [] } as const;
  }
  const shown = execution?.assertions.filter(a => a.role !== 'holdout') ?? [];
  const isVacuous = shown.length > 0 && shown.every(a => a.holdsEmpty);
  const vacuous = trans.__(
    'All checks hold without this code as well: by what the kernel has from before, or whatever the cell does.'
  );
  const doubts = [
    ...(isVacuous ? [vacuous] : []),
    ...doubtsOf(execution, allowed, trans)
  ];
  const isClear = onPass === 'auto' && doubts.length === 0;
  return { action: isClear ? 'run' : 'ask', doubts } as const;
}

/** True when the attempt left no trace and wanted none: running its code again does not either. */
export function isHarmless(execution: Execution | null): boolean {
  return doubtsOf(execution, {}, english).length === 0;
}

/** Everything that speaks against running the cell unasked; empty when the attempt left no trace, wanted none and was confirmed. */
function doubtsOf(
  execution: Execution | null,
  allowed: Allowed,
  trans: Translation
): readonly string[] {
  const notIsolated = trans.__(
    'The attempt ran in the live kernel, not isolated.'
  );
  if (!execution) {
    return [notIsolated];
  }
  const { isolation, filesWritten, denied } = execution;
  const isLive = isolation.mode === 'live' || !isolation.memory;
  const files = filesWritten.join(', ');
  const found = passConfirmation(execution);
  // Whoever chose the live kernel chose to do without a separate process.
  const isUnconfirmed =
    found?.reasons.length && !(allowed.live && isEverywhere(found));
  return [
    isLive && !allowed.live && [notIsolated, ...isolation.reasons].join(' '),
    isolation.files === 'open' &&
      !allowed.files &&
      trans.__('The attempt’s file writes could not be isolated.'),
    !isolation.network &&
      !allowed.network &&
      trans.__('The attempt could reach the network.'),
    files &&
      (isolation.files === 'overlay'
        ? trans.__(
            'The attempt wrote %1 (discarded). Running the cell writes for real.',
            files
          )
        : trans.__('The attempt wrote %1.', files)),
    denied.length > 0 &&
      trans.__('Blocked: the attempt %1.', denied.join('; ')),
    isUnconfirmed &&
      [
        unconfirmedSummary(found, trans),
        ...unconfirmedLines(found, trans).map(line => `• ${line}`)
      ].join('\n')
  ].flatMap(doubt => doubt || []);
}
