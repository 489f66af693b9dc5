import * as React from 'react';
import { memo, useContext, useEffect, useRef, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { passConfirmation } from '../../core/domain/checks/confirmation';
import { toAllow, type StaticFinding } from '../../core/domain/execution';
import type { Verdict } from '../../core/domain/verdict';
import { isUsable } from '../../core/events/best';
import { unfinished } from '../../core/events/counts';
import { MORE_ATTEMPTS } from '../../core/events/history';
import type { AttemptState, SessionState } from '../../core/events/state';
import {
  isEverywhere,
  unconfirmedSummary
} from '../../core/text/confirmationWords';
import { opinionLine, opinions } from '../../core/text/verdictWords';
import { AssertionList } from './assertionList';
import { AttemptDetails, type AttemptAction } from './attemptDetails';
import { CandidateEditor } from './candidateEditor';
import { CodeView } from './codeView';
import { Button, LinkButton, useFirst } from '../shared/button';
import {
  errorText,
  formatCost,
  formatDuration,
  formatTokens
} from '../shared/format';
import { visibleLine, visibleText } from '../shared/safeText';
import { ReadOnlyContext, usePanelServices } from '../shared/services';
import { useFollowEnd } from '../shared/useFollowEnd';

/** Of the session only what does not change with each event: other rows are not rendered. */
export type AttemptBodyProps = Pick<SessionState, 'request' | 'model'> & {
  readonly attempt: AttemptState;
  /** Code of the attempt before; null for the first. */
  readonly before: string | null;
  /** The newest attempt shows its code; in earlier ones it is behind a link. */
  readonly newest: boolean;
  /** Its code is in the cell. */
  readonly inCell: boolean;
  /** The end of the session, above, offers to use it. */
  readonly offered: boolean;
  /** Further attempts can refine it. */
  readonly canContinue: boolean;
  /** The next attempts refine this one. */
  readonly isBase: boolean;
  /** Where an edit of its code that was not run is kept. */
  readonly editKey: string;
  /** Why the session ended is said above: its failure is not repeated. */
  readonly explained: boolean;
};

/** Error of a candidate that was not run because of its findings, which are listed. */
const GATED = 'StaticError';

const NOTHING: readonly StaticFinding[] = [];

/** What an open row shows. */
export function AttemptBody(props: AttemptBodyProps): JSX.Element {
  const { manager, trans, edits } = usePanelServices();
  const { attempt, request, before, newest, inCell, offered } = props;
  const { canContinue, explained, isBase, editKey } = props;
  const language = request?.language ?? '';
  const [editing, setEditing] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const editLink = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    if (wasEditing.current && !editing) {
      (editLink.current ?? menuButton.current)?.focus();
    }
    wasEditing.current = editing;
  }, [editing]);
  const [codeShown, setCodeShown] = useState<boolean | null>(null);
  const readOnly = useContext(ReadOnlyContext);
  const hasCode = attempt.code !== '';
  const withCode = hasCode && (codeShown ?? newest);
  const ended = attempt.phase === 'ended';
  const denied = toAllow(attempt.execution);
  const mayEdit = !readOnly && request !== null;
  const actions: AttemptAction[] = [
    {
      label: trans.__('compare'),
      title: trans.__('Compare in a tab'),
      onClick: () => manager.compare({ right: attempt.attempt })
    }
  ];
  if (mayEdit && !editing && !edits.has(editKey)) {
    actions.push({
      label: trans.__('edit'),
      title: trans.__('Edit this code and run it as an attempt'),
      onClick: () => setEditing(true)
    });
  }
  if (!readOnly && language === 'python' && failedVisibly(attempt)) {
    actions.push({
      label: trans.__('debug'),
      title: trans.__(
        'Run it in a console of your kernel, stopped at the failing line'
      ),
      onClick: () => manager.debug(attempt.attempt)
    });
  }
  if (!readOnly && canContinue && !isBase && attempt.attempt > 0) {
    actions.push({
      label: trans.__('continue from this'),
      title: trans.__('Further attempts refine this one'),
      onClick: () => manager.continueFrom(attempt.attempt, MORE_ATTEMPTS)
    });
  }
  return (
    <div className="jp-Refine-attemptBody">
      {(attempt.hints ?? []).map((hint, i) => (
        <p key={i} className="jp-Refine-remark jp-Refine-quiet jp-mod-hint">
          {trans.__('Hint: %1', visibleText(hint))}
        </p>
      ))}
      {attempt.phase === 'writing' && !hasCode ? (
        <ThoughtsPreview thoughts={attempt.thoughts} />
      ) : null}
      {attempt.editedFrom === undefined ? null : (
        <p className="jp-Refine-remark jp-Refine-quiet">
          {attempt.editedFrom === 0
            ? trans.__('Edited by you.')
            : trans.__('Edited by you, from attempt %1.', attempt.editedFrom)}
        </p>
      )}
      {isBase ? (
        <p className="jp-Refine-remark jp-Refine-quiet">
          {trans.__('Further attempts continue from this one.')}
        </p>
      ) : null}
      {editing ? (
        <CandidateEditor
          attempt={attempt.attempt}
          source={attempt.code}
          language={language}
          editKey={editKey}
          onClose={() => setEditing(false)}
        />
      ) : null}
      {withCode && !editing ? (
        <CodeView
          code={attempt.code}
          before={before}
          streaming={attempt.phase === 'writing'}
        />
      ) : null}
      {remarks(attempt, explained, trans).map((remark, i) => (
        <p key={i} className="jp-Refine-remark">
          {visibleText(remark)}
        </p>
      ))}
      {mayEdit && hasCode && ended && !editing && edits.has(editKey) ? (
        <p className="jp-Refine-remark">
          <LinkButton buttonRef={editLink} onClick={() => setEditing(true)}>
            {trans.__('continue your edit')}
          </LinkButton>
        </p>
      ) : null}
      {mayEdit && hasCode && ended && denied !== null ? (
        <p className="jp-Refine-remark">
          <LinkButton
            title={
              denied === 'network'
                ? trans.__(
                    'Allow network access for this session and run this code again'
                  )
                : trans.__(
                    'Allow writing files for this session and run this code again'
                  )
            }
            onClick={() => manager.allow(attempt.attempt)}
          >
            {trans.__('allow and try again')}
          </LinkButton>
        </p>
      ) : null}
      <FindingList findings={attempt.execution?.findings ?? NOTHING} />
      <AssertionList
        assertions={attempt.assertions}
        unrunBecause={unrunBecause(attempt, trans)}
      />
      {scorerRemarks(attempt, trans).map((remark, i) => (
        <p key={i} className="jp-Refine-remark">
          {visibleText(remark)}
        </p>
      ))}
      <OpinionList verdict={attempt.verdict} />
      <AttemptDetails
        attempt={attempt}
        facts={factsOf(props, trans)}
        menuRef={menuButton}
        code={
          hasCode && ended ? (
            <LinkButton
              expanded={withCode}
              onClick={() => setCodeShown(!withCode)}
            >
              {before === null ? trans.__('code') : trans.__('change')}
            </LinkButton>
          ) : null
        }
        actions={hasCode && ended ? actions : []}
        action={
          readOnly ? null : inCell ? (
            <span className="jp-Refine-quiet">{trans.__('in the cell')}</span>
          ) : isUsable(attempt) && !offered ? (
            <Button
              onClick={() => manager.accept(attempt.attempt)}
              title={trans.__('Write this code into the cell')}
            >
              {trans.__('Use this')}
            </Button>
          ) : null
        }
      />
    </div>
  );
}

/** Why checks were not run, without the message that a remark has. */
function unrunBecause(
  { execution }: AttemptState,
  trans: TranslationBundle
): string {
  if (execution?.stop) {
    return trans.__('the attempt was cut off.');
  }
  return execution?.error && execution.error.name !== GATED
    ? trans.__('the code raised %1.', execution.error.name)
    : '';
}

/** It raised, or a check failed that is shown. */
function failedVisibly({ execution, assertions }: AttemptState): boolean {
  return (
    execution?.error !== undefined ||
    assertions.some(
      ({ role, outcome }) =>
        role === 'assertion' && (outcome === 'failed' || outcome === 'error')
    )
  );
}

function factsOf(
  { attempt, request, model }: AttemptBodyProps,
  trans: TranslationBundle
): readonly string[] {
  const { durationMs, usage } = attempt;
  return [
    durationMs === null ? null : formatDuration(durationMs, trans),
    formatTokens(usage, trans),
    formatCost(usage, trans, { request, model })
  ].filter(fact => fact !== null);
}

/** What the assertions do not say: why there was nothing to run, what cut it, what it was denied. */
function remarks(
  attempt: AttemptState,
  isSaidAbove: boolean,
  trans: TranslationBundle
): readonly string[] {
  const { execution, verdict, failure, repeatOf } = attempt;
  const found: string[] = [];
  // The title says that there is no code, or that it was cut off.
  if (
    failure !== null &&
    failure.code !== 'no-code' &&
    unfinished(attempt) === null &&
    !isSaidAbove
  ) {
    found.push(failure.message);
  }
  if (repeatOf !== null) {
    found.push(trans.__('Same code as attempt %1, not run again.', repeatOf));
  }
  if (execution?.error?.name === GATED) {
    found.push(trans.__('Not run: static analysis found an error.'));
  } else if (execution?.error) {
    const { candidateLine } = execution.error;
    const text = errorText(execution.error);
    found.push(
      candidateLine === undefined
        ? text
        : trans.__('Line %1: %2', candidateLine, text)
    );
  }
  if (execution?.stopMessage) {
    found.push(execution.stopMessage);
  }
  found.push(...(execution?.tampering ?? []));
  found.push(
    ...(execution?.denied ?? []).map(denied =>
      trans.__('Blocked: it %1.', denied)
    )
  );
  found.push(...(execution?.warnings ?? []));
  const confirmation = passConfirmation(execution);
  if (confirmation && isEverywhere(confirmation)) {
    found.push(unconfirmedSummary(confirmation, trans));
  }
  const explained =
    isSaidAbove ||
    failure !== null ||
    attempt.assertions.some(a => a.outcome !== 'passed') ||
    found.length > 0;
  if (verdict !== null && verdict.evaluation !== 'pass' && !explained) {
    const listed = opinions(verdict).flatMap(opinion => opinion.reasons);
    listed.push(execution?.scored?.comment ?? '');
    found.push(...verdict.reasons.filter(reason => !listed.includes(reason)));
  }
  return found;
}

/** What the scorer said, or why it gave no value; the value itself is in the row's chip. */
function scorerRemarks(
  { execution }: AttemptState,
  trans: TranslationBundle
): readonly string[] {
  const { name, comment, error, confirmed, unconfirmed } =
    execution?.scored ?? {};
  const found: string[] = [];
  if (error) {
    found.push(trans.__('The scorer of %1 failed: %2', name, errorText(error)));
  }
  if (comment) {
    found.push(trans.__('%1: %2', name, comment));
  }
  if (confirmed === false && unconfirmed) {
    found.push(trans.__('%1 is not confirmed: %2.', name, unconfirmed));
  }
  return found;
}

/** Findings shown at once; what cannot run comes first. */
const FINDINGS = 6;

/** What was found in a candidate's source without running it. */
const FindingList = memo(function FindingList(props: {
  readonly findings: readonly StaticFinding[];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const errors = props.findings.filter(f => f.severity === 'error');
  const warnings = props.findings.filter(f => f.severity === 'warning');
  const [shown, more] = useFirst([...errors, ...warnings], FINDINGS);
  return shown.length === 0 ? null : (
    <>
      <ul
        className="jp-Refine-findings"
        aria-label={trans.__('Static analysis')}
      >
        {shown.map((finding, i) => (
          <li key={i} className={`jp-mod-${finding.severity}`}>
            <span className="jp-Refine-mark" aria-hidden="true">
              {finding.severity === 'error' ? '✗' : '!'}
            </span>
            <span>
              <span className="jp-Refine-hidden">
                {finding.severity === 'error'
                  ? trans.__('error')
                  : trans.__('warning')}
                :{' '}
              </span>
              {trans.__(
                'Line %1: %2',
                finding.line,
                visibleLine(finding.message)
              )}
            </span>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
});

/** Characters of the newest thoughts that are shown while there is no code yet. */
const SHOWN = 2000;

/** The model's thoughts, as they come, in a few lines that follow their end. */
function ThoughtsPreview(props: {
  readonly thoughts: string;
}): JSX.Element | null {
  const { thoughts } = props;
  const { ref, onScroll } = useFollowEnd<HTMLParagraphElement>(thoughts, true);
  if (thoughts.trim() === '') {
    return null;
  }
  return (
    <p ref={ref} onScroll={onScroll} className="jp-Refine-thoughts">
      {visibleText(thoughts.slice(-SHOWN))}
    </p>
  );
}

/** What a judge says of an attempt, with the actions that it asks for. */
const OpinionList = memo(function OpinionList(props: {
  readonly verdict: Verdict | null;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  return (
    <>
      {opinions(props.verdict).map(opinion => (
        <div key={opinion.evaluator} className="jp-Refine-opinion">
          <p className={`jp-mod-${opinion.evaluation}`}>
            {visibleLine(opinionLine(opinion, trans))}
          </p>
          {opinion.reasons.length > 0 ? (
            <ul>
              {opinion.reasons.map((reason, i) => (
                <li key={i}>{visibleText(reason)}</li>
              ))}
            </ul>
          ) : null}
        </div>
      ))}
    </>
  );
});
