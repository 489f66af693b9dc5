import * as React from 'react';
import { visibleText } from '../shared/safeText';

type MessageListProps = {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
  }[];
};

/** Messages to a model, exactly as they are sent. */
export function MessageList({ messages }: MessageListProps): JSX.Element {
  return (
    <dl className="jp-Refine-messages">
      {messages.map((message, i) => (
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
