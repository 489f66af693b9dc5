import * as React from 'react';
import { visibleText } from '../shared/safeText';

/** Shows as code a whole line that starts like a shell command, and parts in backticks. */
export function Hint(props: { readonly text: string }): JSX.Element {
  const text = visibleText(props.text);
  if (/^(ollama|pip|export|set|OPENAI_[A-Z_]+=|jupyter) ?\S/.test(text)) {
    return <code>{text}</code>;
  }
  return (
    <>
      {text
        .split('`')
        .map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
    </>
  );
}
