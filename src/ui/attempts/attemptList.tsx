/** The attempts of a session, and what it wants known beside them. */
import * as React from 'react';
import { memo, useCallback, useId, useMemo, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { isGated } from '../../core/domain/execution';
import type { AttemptState, SessionState } from '../../core/events/state';
import { failureTitle } from '../../core/events/title';
import { isWritten, type AcceptState } from '../../tokens';
import { AttemptBody, type AttemptBodyProps } from './attemptBody';
import { diffLines } from './codeView';
import { visibleLine } from '../shared/safeText';
import { attemptChip, type Chip } from '../shared/score';
import { HiddenNamesContext, usePanelServices } from '../shared/services';

/** Warnings, then all attempts, newest first. */
export function AttemptList(props: {
  readonly session: SessionState;
  readonly accepted?: AcceptState | null;
  /** The attempt whose code a question shows. */
  readonly asked?: number;
  /** The attempt that the end of the session offers to use. */
  readonly offered?: number | null;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { session, accepted = null, asked, offered } = props;
  const { attempts, request, model, outcome, waiting } = session;
  const [chosen, setChosen] = useState<ReadonlyMap<number, boolean>>(
    () => new Map()
  );
  const onToggle = useCallback(
    (attempt: number, open: boolean) =>
      setChosen(earlier => new Map(earlier).set(attempt, open)),
    []
  );
  const hidden = useMemo(
    () =>
      new Set([
        ...(request?.hiddenData ?? []),
        ...(request?.hiddenNames ?? [])
      ]),
    [request]
  );
  const open = openByItself(session);
  const newest = attempts.at(-1)?.attempt;
  const waits =
    waiting?.for === 'human' || waiting?.for === 'permission'
      ? (asked ?? newest)
      : undefined;
  const inCell = isWritten(accepted) ? accepted.attempt : null;
  return (
    <HiddenNamesContext.Provider value={hidden}>
      <WarningList warnings={session.warnings} />
      {attempts.length === 0 ? null : (
        <ol className="jp-Refine-attempts" aria-label={trans.__('Attempts')}>
          {attempts
            .map(attempt => {
              const number = attempt.attempt;
              return (
                <AttemptRow
                  key={number}
                  attempt={attempt}
                  request={request}
                  model={model}
                  before={codeBefore(attempts, number)}
                  newest={number === newest && number !== asked}
                  inCell={inCell === number}
                  offered={offered === number}
                  canContinue={model !== null && outcome?.passed !== true}
                  isBase={isBase(session, number)}
                  editKey={`${session.session}#${number}`}
                  explained={
                    attempt.failure !== null &&
                    attempt.failure.message === outcome?.error?.message
                  }
                  open={chosen.get(number) ?? open.includes(number)}
                  onToggle={onToggle}
                  waiting={number === waits}
                />
              );
            })
            .reverse()}
        </ol>
      )}
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

/** The nearest earlier code; null where there is none. */
export function codeBefore(
  attempts: readonly AttemptState[],
  number: number
): string | null {
  const earlier = attempts.filter(
    ({ attempt, code }) => attempt < number && code !== ''
  );
  return earlier.at(-1)?.code ?? null;
}

type AttemptRowProps = AttemptBodyProps & {
  readonly open: boolean;
  readonly onToggle: (attempt: number, open: boolean) => void;
  /** The session waits for the user because of it. */
  readonly waiting: boolean;
};

/** One attempt: number, title, chip; open, what it wrote and how it went. */
const AttemptRow = memo(function AttemptRow(
  props: AttemptRowProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { open, onToggle, waiting, ...body } = props;
  const { attempt, explained, before } = body;
  const chip = attemptChip(attempt, waiting, trans);
  const id = useId();
  const title = explained
    ? trans.__('No answer from the model')
    : visibleLine(titleOf(attempt, before, trans));
  // Without code it is no attempt: the title says all there is.
  const hasChip = attempt.code !== '' || attempt.failure === null;
  return (
    <li className={`jp-Refine-attempt${open ? ' jp-mod-open' : ''}`}>
      <h3>
        <button
          type="button"
          className="jp-Refine-attemptHead"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => onToggle(attempt.attempt, !open)}
        >
          <span className="jp-Refine-triangle" aria-hidden="true" />
          <span className="jp-Refine-number">
            <span className="jp-Refine-hidden">{trans.__('Attempt')} </span>
            {attempt.attempt}
          </span>
          <span className="jp-Refine-title" title={title}>
            {title}
          </span>
          {hasChip ? <ChipView {...chip} /> : null}
        </button>
      </h3>
      {open ? (
        <div id={id}>
          <AttemptBody {...body} />
        </div>
      ) : null}
    </li>
  );
});

function ChipView({ text, tone, label }: Chip): JSX.Element {
  return (
    <span
      className={`jp-Refine-chip jp-mod-${tone}${label ? ' jp-mod-metric' : ''}`}
      title={label && visibleLine(label)}
    >
      {label === undefined ? (
        visibleLine(text)
      ) : (
        <>
          <span aria-hidden="true">{visibleLine(text)}</span>
          <span className="jp-Refine-hidden">{visibleLine(label)}</span>
        </>
      )}
    </span>
  );
}

/** How it failed, else what it changed in the attempt before, else how long it is. */
function titleOf(
  { attempt, code, phase, thoughts, execution, failure, verdict }: AttemptState,
  before: string | null,
  trans: TranslationBundle
): string {
  if (execution && isGated(execution)) {
    return trans.__('Static analysis found an error');
  }
  const failed =
    (execution && failureTitle(execution)) ||
    failure?.message ||
    (verdict?.evaluation === 'fail' && verdict.reasons[0]);
  if (failed) {
    return failed;
  }
  if (attempt === 0) {
    return trans.__('Current code');
  }
  if (code === '') {
    return thoughts === '' ? '' : trans.__('Thinking');
  }
  const changed =
    before === null || phase === 'writing'
      ? []
      : diffLines(before, code).filter(
          line => line.kind === 'added' && line.text.trim() !== ''
        );
  const telling =
    changed.find(({ text }) => !/^\s*(?:(?:import|from)\b|#)/.test(text)) ??
    changed[0];
  return telling
    ? trans.__('Changed: %1', telling.text.trim())
    : trans._n('%1 line', '%1 lines', code.trimEnd().split('\n').length);
}

/** Warnings that are shown: the newest. */
const SHOWN = 8;

/** What the session wants known beside its attempts. */
const WarningList = memo(function WarningList(props: {
  readonly warnings: SessionState['warnings'];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { warnings } = props;
  return warnings.length === 0 ? null : (
    <ul
      className="jp-Refine-section jp-Refine-note"
      aria-label={trans.__('Warnings')}
    >
      {warnings.slice(-SHOWN).map(({ attempt, message }, i) => (
        <li key={i}>
          {attempt === undefined
            ? visibleLine(message)
            : trans.__('Attempt %1: %2', attempt, visibleLine(message))}
        </li>
      ))}
    </ul>
  );
});
