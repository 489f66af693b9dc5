import * as React from 'react';
import { memo, useEffect, useRef } from 'react';
import type { ExplanationView } from '../../tokens';
import { Button } from '../shared/button';
import { formatCost, formatTokens } from '../shared/format';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Answers in words, newest first. */
export const ExplanationList = memo(function ExplanationList(props: {
  readonly explanations: readonly ExplanationView[];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { explanations } = props;
  return explanations.length === 0 ? null : (
    <ul className="jp-Refine-explanations" aria-label={trans.__('Answers')}>
      {[...explanations].reverse().map(explanation => (
        <li key={explanation.id}>
          <ExplanationItem explanation={explanation} />
        </li>
      ))}
    </ul>
  );
});

function ExplanationItem(props: {
  readonly explanation: ExplanationView;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { question, text, status, usage, message } = props.explanation;
  const writing = status === 'writing';
  const facts = [
    status === 'stopped' ? trans.__('Stopped.') : null,
    usage && formatTokens(usage, trans),
    usage && formatCost(usage, trans)
  ].filter(fact => fact !== null);
  return (
    <article aria-label={visibleLine(question)} aria-busy={writing}>
      <h3>{visibleLine(question)}</h3>
      {text === '' ? null : <Markdown text={text} />}
      {message === undefined ? null : (
        <p className="jp-Refine-problem">{visibleText(message)}</p>
      )}
      {writing ? (
        <div className="jp-Refine-buttons">
          <span className="jp-Refine-quiet">
            {text === '' ? trans.__('Asking the model…') : trans.__('Writing…')}
          </span>
          <Button onClick={() => manager.stop()}>{trans.__('Stop')}</Button>
        </div>
      ) : facts.length > 0 ? (
        <p className="jp-Refine-quiet">{facts.join(' · ')}</p>
      ) : null}
    </article>
  );
}

/** Milliseconds between two renderings of a text that is being written. */
const RENDER_MS = 120;

/** Rendered by JupyterLab where it can be, else as it is written. */
function Markdown(props: { readonly text: string }): JSX.Element {
  const { createMarkdown } = usePanelServices();
  const { text } = props;
  const host = useRef<HTMLDivElement>(null);
  const rendered = useRef<ReturnType<NonNullable<typeof createMarkdown>>>();
  const latest = useRef(text);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  latest.current = text;
  useEffect(() => {
    if (createMarkdown && host.current) {
      const markdown = createMarkdown();
      rendered.current = markdown;
      host.current.replaceChildren(markdown.node);
      return () => {
        clearTimeout(timer.current);
        timer.current = undefined;
        markdown.dispose();
      };
    }
    return undefined;
  }, [createMarkdown]);
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void rendered.current?.show(visibleText(latest.current));
    }, RENDER_MS);
  }, [text]);
  return createMarkdown ? (
    <div ref={host} className="jp-Refine-markdown" />
  ) : (
    <p className="jp-Refine-plain">{visibleText(text)}</p>
  );
}
