import * as React from 'react';
import { useEffect, useId, useState } from 'react';
import type { IRefineManager, TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import { messageOf } from '../shared/format';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type Messages = Awaited<ReturnType<IRefineManager['previewRequest']>>;

/** "What will be sent": the exact text, before anything leaves. */
export function WhatIsSent(props: {
  readonly target: TargetView;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { cellId, prompt, assertions } = props.target;
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState<Messages | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  useEffect(() => {
    let isShown = open;
    setSent(null);
    setProblem(null);
    if (open) {
      manager.previewRequest().then(
        messages => isShown && setSent(messages),
        reason => isShown && setProblem(messageOf(reason))
      );
    }
    return () => {
      isShown = false;
    };
  }, [manager, open]);
  // What was shown is no longer what would be sent.
  useEffect(() => setOpen(false), [cellId, prompt, assertions]);
  return (
    <div>
      <p className="jp-Refine-plan">
        <LinkButton
          expanded={open}
          controls={id}
          onClick={() => setOpen(!open)}
        >
          {trans.__('What will be sent')}
        </LinkButton>
      </p>
      {open ? (
        <div id={id} className="jp-Refine-sent">
          {sent !== null ? (
            <MessageList messages={sent} />
          ) : problem !== null ? (
            <p className="jp-Refine-problem" role="alert">
              {visibleText(problem)}
            </p>
          ) : (
            <p className="jp-Refine-quiet">{trans.__('Asking the kernel…')}</p>
          )}
        </div>
      ) : null}
    </div>
  );
}

/** Messages to a model, exactly as they are sent. */
export function MessageList(props: {
  readonly messages: Messages;
}): JSX.Element {
  return (
    <dl className="jp-Refine-messages">
      {props.messages.map((message, i) => (
        <React.Fragment key={i}>
          <dt>{visibleText(message.role)}</dt>
          <dd>
            <pre tabIndex={0} aria-label={message.role}>
              {visibleText(message.content)}
            </pre>
          </dd>
        </React.Fragment>
      ))}
    </dl>
  );
}
