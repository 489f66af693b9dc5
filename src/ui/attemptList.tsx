import * as React from 'react';
import { useCallback, useState } from 'react';
import type { AttemptState, SessionState } from '../core/state';
import type { AcceptState } from '../tokens';
import { AttemptRow } from './attemptRow';
import { usePanelServices } from './services';

type AttemptListProps = {
  readonly session: SessionState;
  readonly accepted: AcceptState | null;
};

/** All attempts, newest first. */
export function AttemptList(props: AttemptListProps): JSX.Element | null {
  const { trans } = usePanelServices();
  const { session, accepted } = props;
  const { attempts } = session;
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(
    () => new Map()
  );
  const onToggle = useCallback(
    (attempt: number, open: boolean) =>
      setChosen(earlier => new Map(earlier).set(attempt, open)),
    []
  );
  if (attempts.length === 0) {
    return null;
  }
  const open = openByItself(session);
  const inCell =
    accepted !== null && accepted.status !== 'restored'
      ? accepted.attempt
      : null;
  return (
    <ol className="jp-Refine-attempts" aria-label={trans.__('Attempts')}>
      {attempts
        .map((attempt, i) => (
          <AttemptRow
            key={attempt.attempt}
            attempt={attempt}
            before={codeBefore(attempts, i)}
            newest={i === attempts.length - 1}
            inCell={inCell === attempt.attempt}
            open={chosen.get(attempt.attempt) ?? open.includes(attempt.attempt)}
            onToggle={onToggle}
          />
        ))
        .reverse()}
    </ol>
  );
}

/**
 * The newest attempt, and while that has no result the one before, whose result
 * is the newest there is. After a pass the result says it all, and none is open.
 */
function openByItself(session: SessionState): readonly number[] {
  if (session.outcome?.passed) {
    return [];
  }
  const { attempts } = session;
  const newest = attempts[attempts.length - 1];
  const open = [newest.attempt];
  if (newest.phase !== 'ended' && attempts.length > 1) {
    open.push(attempts[attempts.length - 2].attempt);
  }
  return open;
}

/** The nearest earlier code; attempt 1 is shown as it is, whatever the cell held. */
function codeBefore(
  attempts: readonly AttemptState[],
  index: number
): string | null {
  for (let i = index - 1; i >= 0; i--) {
    if (attempts[i].attempt > 0 && attempts[i].code !== '') {
      return attempts[i].code;
    }
  }
  return null;
}
