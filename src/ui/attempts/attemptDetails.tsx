import * as React from 'react';
import { useContext, useId, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { LocalVariable } from '../../core/domain/execution';
import type { AttemptState } from '../../core/events/state';
import { LinkButton } from '../shared/button';
import { MessageList } from '../prompt/messageList';
import { terminalText, visibleText } from '../shared/safeText';
import { HiddenNamesContext, usePanelServices } from '../shared/services';
import { useFollowEnd } from '../shared/useFollowEnd';

/** Characters of a long text that are shown; its end matters most. */
const SHOWN = 50_000;

type Detail = 'thoughts' | 'output' | 'traceback' | 'locals' | 'prompt';

/** Facts of an attempt, then links that open what it printed, raised, held and was asked. */
export function AttemptDetails(props: {
  readonly attempt: AttemptState;
  /** Already formatted: time, tokens. */
  readonly facts: readonly string[];
  /** A link in front of the others, and the button at the end. */
  readonly before: React.ReactNode;
  readonly action: React.ReactNode;
}): JSX.Element {
  const { trans } = usePanelServices();
  const { attempt, facts, before, action } = props;
  const [open, setOpen] = useState<Detail | null>(null);
  const id = useId();
  const details = available(attempt, trans);
  const shown = details.find(([detail]) => detail === open);
  return (
    <>
      <div className="jp-Refine-attemptFoot">
        <ul className="jp-Refine-facts">
          {facts.map(fact => (
            <li key={fact}>{fact}</li>
          ))}
          {before !== null ? <li>{before}</li> : null}
          {details.map(([detail, label]) => (
            <li key={detail}>
              <LinkButton
                expanded={open === detail}
                controls={id}
                onClick={() => setOpen(open === detail ? null : detail)}
              >
                {label}
              </LinkButton>
            </li>
          ))}
        </ul>
        {action}
      </div>
      {shown !== undefined ? (
        <div id={id} role="region" aria-label={shown[1]}>
          <DetailBody attempt={attempt} detail={shown[0]} />
        </div>
      ) : null}
    </>
  );
}

function available(
  attempt: AttemptState,
  trans: TranslationBundle
): readonly (readonly [Detail, string])[] {
  const all: readonly (readonly [Detail, string, boolean])[] = [
    ['thoughts', trans.__('thoughts'), attempt.thoughts.trim() !== ''],
    ['output', trans.__('output'), attempt.output !== ''],
    ['traceback', trans.__('traceback'), tracebackOf(attempt) !== ''],
    ['locals', trans.__('locals'), localsOf(attempt).length > 0],
    ['prompt', trans.__('prompt'), attempt.prompt.length > 0]
  ];
  return all
    .filter(([, , there]) => there)
    .map(([detail, label]) => [detail, label]);
}

function DetailBody(props: {
  readonly attempt: AttemptState;
  readonly detail: Detail;
}): JSX.Element {
  const { attempt, detail } = props;
  const streaming = attempt.phase !== 'ended';
  switch (detail) {
    case 'thoughts':
      return <LongText text={attempt.thoughts} follow={streaming} prose />;
    case 'output':
      return <LongText text={attempt.output} follow={streaming} />;
    case 'traceback':
      return <LongText text={tracebackOf(attempt)} follow={false} />;
    case 'locals':
      return <LocalsTable variables={localsOf(attempt)} />;
    case 'prompt':
      return <MessageList messages={attempt.prompt} />;
  }
}

function LongText(props: {
  readonly text: string;
  readonly follow: boolean;
  readonly prose?: boolean;
}): JSX.Element {
  const { text, follow, prose } = props;
  const { ref, onScroll } = useFollowEnd<HTMLPreElement>(text, follow);
  return (
    <pre
      ref={ref}
      onScroll={onScroll}
      tabIndex={0}
      className={`jp-Refine-text${prose ? ' jp-mod-prose' : ''}`}
    >
      {text.length > SHOWN ? '…' : ''}
      {terminalText(text.slice(-SHOWN))}
    </pre>
  );
}

function LocalsTable(props: {
  readonly variables: readonly LocalVariable[];
}): JSX.Element {
  const { trans } = usePanelServices();
  const hidden = useContext(HiddenNamesContext);
  return (
    <div className="jp-Refine-locals">
      <table>
        <thead className="jp-Refine-hidden">
          <tr>
            <th>{trans.__('Name')}</th>
            <th>{trans.__('Type')}</th>
            <th>{trans.__('Value')}</th>
          </tr>
        </thead>
        <tbody>
          {props.variables.map((variable, i) => (
            <tr key={i}>
              <th scope="row">{visibleText(variable.name)}</th>
              <td>
                {visibleText(
                  [variable.type, variable.shape ?? ''].join(' ').trim()
                )}
              </td>
              <td>
                {hidden.has(variable.name)
                  ? trans.__('hidden')
                  : visibleText(variable.repr ?? '')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Of the candidate, of a cut, or of the statements that failed. */
function tracebackOf(attempt: AttemptState): string {
  const { execution } = attempt;
  if (execution?.error) {
    return execution.error.traceback;
  }
  if (execution?.stack) {
    return execution.stack;
  }
  return attempt.assertions.flatMap(a => a.error?.traceback || []).join('\n\n');
}

function localsOf(attempt: AttemptState): readonly LocalVariable[] {
  return (
    attempt.execution?.error?.locals ??
    attempt.assertions.find(a => (a.error?.locals ?? []).length > 0)?.error
      ?.locals ??
    []
  );
}
