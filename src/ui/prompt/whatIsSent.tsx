import * as React from 'react';
import { useEffect, useId, useRef, useState } from 'react';
import type { IRefineManager, TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type Messages = Awaited<ReturnType<IRefineManager['previewRequest']>>;

type Loading =
  | { readonly status: 'closed' }
  | { readonly status: 'loading' }
  | { readonly status: 'shown'; readonly messages: Messages }
  | { readonly status: 'failed'; readonly message: string };

/** "What will be sent": the exact text, before anything leaves. */
export function WhatIsSent(props: {
  readonly target: TargetView;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { cellId, prompt, assertions } = props.target;
  const [loading, setLoading] = useState<Loading>({ status: 'closed' });
  const newest = useRef(0);
  const id = useId();

  const load = async () => {
    const turn = ++newest.current;
    setLoading({ status: 'loading' });
    let next: Loading;
    try {
      next = { status: 'shown', messages: await manager.previewRequest() };
    } catch (error) {
      next = {
        status: 'failed',
        message: error instanceof Error ? error.message : String(error)
      };
    }
    if (turn === newest.current) {
      setLoading(next);
    }
  };
  const close = () => {
    newest.current++;
    setLoading({ status: 'closed' });
  };
  // What was shown is no longer what would be sent.
  useEffect(() => close, [cellId, prompt, assertions]);

  const open = loading.status !== 'closed';
  return (
    <div>
      <p className="jp-Refine-plan">
        <LinkButton
          expanded={open}
          controls={id}
          onClick={() => (open ? close() : void load())}
        >
          {trans.__('What will be sent')}
        </LinkButton>
      </p>
      {open ? (
        <div id={id} className="jp-Refine-sent">
          {loading.status === 'loading' ? (
            <p className="jp-Refine-quiet">{trans.__('Asking the kernel…')}</p>
          ) : null}
          {loading.status === 'failed' ? (
            <p className="jp-Refine-problem" role="alert">
              {visibleText(loading.message)}
            </p>
          ) : null}
          {loading.status === 'shown' ? (
            <MessageList messages={loading.messages} />
          ) : null}
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
