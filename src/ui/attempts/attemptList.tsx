import * as React from 'react';
import { useCallback, useMemo, useState } from 'react';
import type { AttemptState, SessionState } from '../../core/events/state';
import { isWritten, type AcceptState } from '../../tokens';
import { AttemptRow } from './attemptRow';
import { hasCostLimit } from '../shared/format';
import { HiddenNamesContext, usePanelServices } from '../shared/services';

type AttemptListProps = {
  readonly session: SessionState;
  readonly accepted: AcceptState | null;
  /** The attempt whose code a question shows; null without one. */
  readonly asked: number | null;
  /** The attempt that the end of the session offers to use; null: none. */
  readonly offered: number | null;
};

/** All attempts, newest first. */
export function AttemptList(props: AttemptListProps): JSX.Element | null {
  const { trans } = usePanelServices();
  const { session, accepted, asked, offered } = props;
  const { attempts } = session;
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(
    () => new Map()
  );
  const onToggle = useCallback(
    (attempt: number, open: boolean) =>
      setChosen(earlier => new Map(earlier).set(attempt, open)),
    []
  );
  const { request } = session;
  const hidden = useMemo(
    () =>
      new Set([
        ...(request?.hiddenData ?? []),
        ...(request?.hiddenNames ?? [])
      ]),
    [request]
  );
  if (attempts.length === 0) {
    return null;
  }
  const costs = session.model?.recorded
    ? undefined
    : hasCostLimit(session)
      ? 'limited'
      : 'open';
  const open = openByItself(session);
  const isWaiting =
    session.waiting?.for === 'human' || session.waiting?.for === 'permission';
  const inCell = isWritten(accepted) ? accepted.attempt : null;
  return (
    <HiddenNamesContext.Provider value={hidden}>
      <ol className="jp-Refine-attempts" aria-label={trans.__('Attempts')}>
        {attempts
          .map((attempt, i) => (
            <AttemptRow
              key={attempt.attempt}
              attempt={attempt}
              request={request}
              before={codeBefore(attempts, i)}
              newest={i === attempts.length - 1 && attempt.attempt !== asked}
              inCell={inCell === attempt.attempt}
              offered={offered === attempt.attempt}
              canEdit={request !== null}
              canContinue={
                session.model !== null && session.outcome?.passed !== true
              }
              isBase={isBase(session, attempt.attempt)}
              language={request?.language ?? ''}
              editKey={`${session.session}#${attempt.attempt}`}
              explained={
                attempt.failure !== null &&
                attempt.failure.message === session.outcome?.error?.message
              }
              costs={costs}
              open={
                chosen.get(attempt.attempt) ?? open.includes(attempt.attempt)
              }
              onToggle={onToggle}
              waiting={
                isWaiting &&
                attempt.attempt === (asked ?? attempts.at(-1)?.attempt)
              }
            />
          ))
          .reverse()}
      </ol>
    </HiddenNamesContext.Provider>
  );
}

/** True for the attempt that the user chose and no attempt has followed. */
function isBase({ base, attempts }: SessionState, attempt: number): boolean {
  return (
    base?.attempt === attempt &&
    !attempts.some(later => later.attempt > base.after)
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
  const newest = session.attempts.slice(-2).reverse();
  return newest
    .slice(0, newest[0]?.phase === 'ended' ? 1 : 2)
    .map(({ attempt }) => attempt);
}

/** The nearest earlier code; attempt 1 is shown as it is, whatever the cell held. */
export function codeBefore(
  attempts: readonly AttemptState[],
  index: number
): string | null {
  const earlier = attempts.slice(0, index).reverse();
  const found = earlier.find(a => a.attempt > 0 && a.code !== '');
  return found?.code ?? null;
}
