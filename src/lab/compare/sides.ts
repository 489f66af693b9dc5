/** What can be compared: the attempts of a session, and the cell as it is now. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { assertionCounts } from '../../core/events/counts';
import type { AttemptState, SessionState } from '../../core/events/state';

/** Number of an attempt, or the cell. */
export type SideId = number | 'cell';

export type Side = {
  readonly id: SideId;
  readonly label: string;
  readonly code: string;
};

export type SidePair = { readonly left: SideId; readonly right: SideId };

/**
 * Attempts whose code is whole in order, then the cell.
 *
 * @param source - what the cell holds now; null where the cell is gone.
 */
export function sidesOf(
  session: SessionState | null,
  source: string | null,
  trans: TranslationBundle
): readonly Side[] {
  const attempts = (session?.attempts ?? [])
    .filter(({ code, phase }) => code !== '' && phase !== 'writing')
    .map(attempt => ({
      id: attempt.attempt,
      label: attemptLabel(attempt, trans),
      code: attempt.code
    }));
  return source === null
    ? attempts
    : [
        ...attempts,
        {
          id: 'cell',
          label: trans.__('Cell now'),
          code: source
        }
      ];
}

/**
 * The pair that was asked for; what was left out is the newest attempt, and
 * the one before it. Null with fewer than two sides.
 */
export function pairOf(
  sides: readonly Side[],
  asked: Partial<SidePair>
): SidePair | null {
  const known = (id: SideId | undefined) =>
    id !== undefined && sides.some(side => side.id === id) ? id : undefined;
  const attempts = sides.filter(({ id }) => id !== 'cell').map(({ id }) => id);
  const right = known(asked.right) ?? attempts.at(-1);
  if (right === undefined || sides.length < 2) {
    return null;
  }
  const left =
    known(asked.left) ??
    attempts.slice(0, attempts.indexOf(right)).at(-1) ??
    sides.find(({ id }) => id !== right)?.id;
  return left === undefined ? null : { left, right };
}

/** `Attempt 3 · 3 of 4` */
function attemptLabel(attempt: AttemptState, trans: TranslationBundle): string {
  const name =
    attempt.attempt === 0
      ? trans.__('Attempt 0 (start)')
      : trans.__('Attempt %1', attempt.attempt);
  const counts = assertionCounts(attempt);
  return counts === null
    ? name
    : trans.__('%1 · %2 of %3', name, counts.passed, counts.total);
}
