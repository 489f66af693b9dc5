import type { TranslationBundle } from '@jupyterlab/translation';
import { passConfirmation } from '../../../core/domain/checks/confirmation';
import type { SessionState } from '../../../core/events/state';
import type { Badge } from '../../decorations/decorations';
import type { CellStanding } from './standing';

/**
 * Tick or cross for each assertion cell: as it ran last in the notebook, else by
 * the last attempt that ran any; hold-outs show nothing of themselves.
 */
export function cellBadges(
  session: SessionState,
  trans: TranslationBundle,
  standingOf: (cellId: string) => CellStanding | null = () => null
): ReadonlyMap<string, Badge> {
  const ran = [...session.attempts]
    .reverse()
    .find(attempt => attempt.assertions.some(a => a.outcome !== 'not-run'));
  const badges = new Map<string, Badge>();
  const cells = new Map<
    string,
    { passed: number; total: number; open: number }
  >();
  const open = new Set(
    passConfirmation(ran?.execution)?.reasons.map(({ id }) => id)
  );
  for (const result of ran?.assertions ?? []) {
    if (result.role === 'assertion') {
      const cell = cells.get(result.cellId) ?? {
        passed: 0,
        total: 0,
        open: 0
      };
      cell.total += 1;
      cell.passed += result.outcome === 'passed' ? 1 : 0;
      cell.open += open.has(result.id) ? 1 : 0;
      cells.set(result.cellId, cell);
    }
  }
  for (const [cellId, counts] of cells) {
    const skipped =
      session.request?.assertions.find(cell => cell.cellId === cellId)?.skipped
        ?.length ?? 0;
    const tried = badgeOf({ ...counts, skipped }, trans);
    const standing = standingOf(cellId);
    badges.set(
      cellId,
      standing ? standingBadge(standing, tried, ran!.attempt, trans) : tried
    );
  }
  return badges;
}

/** @param tried the badge by the attempt. */
function standingBadge(
  standing: CellStanding,
  tried: Badge,
  attempt: number,
  trans: TranslationBundle
): Badge {
  switch (standing.status) {
    case 'failed':
      return {
        kind: 'failed',
        text: trans.__('✗ %1', standing.error),
        label: trans.__('Failed in the notebook: %1', standing.error)
      };
    case 'held':
      return tried.kind === 'failed'
        ? {
            kind: 'passed',
            text: '✓',
            label: trans.__('Ran without an error in the notebook')
          }
        : tried;
    case 'edited':
      return {
        kind: 'stale',
        text: trans.__('not checked'),
        label: trans.__(
          'The cell or its check was edited since, and the check has not run'
        )
      };
    case 'old-error':
      return tried.kind === 'failed'
        ? tried
        : {
            kind: 'stale',
            text: trans.__('✓ in attempt %1', attempt),
            label: trans.__(
              'Passed in attempt %1. The output below is from another run.',
              attempt
            )
          };
  }
}

function badgeOf(
  {
    passed,
    total,
    open,
    skipped
  }: Readonly<Record<'passed' | 'total' | 'open' | 'skipped', number>>,
  trans: TranslationBundle
): Badge {
  if (passed < total) {
    return {
      kind: 'failed',
      text: trans.__('✗ %1 of %2', passed, total),
      label: trans.__('%1 of %2 assertions pass', passed, total)
    };
  }
  if (skipped > 0) {
    return {
      kind: 'unconfirmed',
      text: trans.__('✓ %1 skipped', skipped),
      label: trans.__(
        'The other assertions pass; you skipped %1 for this session',
        skipped
      )
    };
  }
  return open === 0
    ? { kind: 'passed', text: '✓', label: trans.__('All assertions pass') }
    : {
        kind: 'unconfirmed',
        text: trans.__('✓ not confirmed'),
        label: trans.__(
          'All checks pass, but %1 of %2 are not confirmed. See the Refine panel.',
          open,
          total
        )
      };
}
