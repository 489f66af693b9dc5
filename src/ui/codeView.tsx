import * as React from 'react';
import { memo, useMemo, useRef } from 'react';
import {
  diffLines,
  plainLines,
  StreamingDiff,
  type DiffLine,
  type StreamedLines
} from './lineDiff';
import { usePanelServices } from './services';
import { visibleText } from './safeText';
import { useFollowEnd } from './useFollowEnd';

/** Lines that are shown at most: the last ones while streaming, the first ones after. */
const MAX_LINES = 2000;
/** Characters of one line that are shown. */
const MAX_LINE_LENGTH = 2000;

type CodeViewProps = {
  readonly code: string;
  /** Code of the attempt before, to show the change against; null for plain code. */
  readonly before: string | null;
  readonly streaming: boolean;
};

/** A candidate as a change to the attempt before, cheap to call with a growing candidate. */
export const CodeView = memo(function CodeView(
  props: CodeViewProps
): JSX.Element {
  return props.streaming ? (
    <StreamedCode {...props} />
  ) : (
    <WholeCode {...props} />
  );
});

function StreamedCode({ code, before }: CodeViewProps): JSX.Element {
  const { trans } = usePanelServices();
  const lines = useStreamedLines(code, before);
  const { ref, onScroll } = useFollowEnd<HTMLPreElement>(code, true);
  const shown = lines.blocks.slice(-Math.floor(MAX_LINES / 64));
  const hidden = lines.blocks.length - shown.length;
  return (
    <pre
      className="jp-Refine-code jp-mod-streaming"
      ref={ref}
      onScroll={onScroll}
      aria-label={trans.__('Code, being written')}
      tabIndex={0}
    >
      {shown.map((block, i) => (
        <CodeBlock key={hidden + i} lines={block} />
      ))}
      <CodeBlock lines={lines.tail} />
    </pre>
  );
}

function useStreamedLines(code: string, before: string | null): StreamedLines {
  const diff = useRef<{ before: string | null; diff: StreamingDiff }>();
  if (diff.current === undefined || diff.current.before !== before) {
    diff.current = { before, diff: new StreamingDiff(before) };
  }
  const { diff: streaming } = diff.current;
  return useMemo(() => streaming.update(code), [streaming, code]);
}

function WholeCode({ code, before }: CodeViewProps): JSX.Element {
  const { trans } = usePanelServices();
  const lines = useMemo(
    () =>
      (before === null ? null : diffLines(before, code)) ?? plainLines(code),
    [code, before]
  );
  return (
    <pre className="jp-Refine-code" aria-label={trans.__('Code')} tabIndex={0}>
      <CodeBlock
        lines={lines.length > MAX_LINES ? lines.slice(0, MAX_LINES) : lines}
      />
      {lines.length > MAX_LINES ? (
        <span className="jp-Refine-codeNote">
          {trans._n(
            '%1 more line is not shown',
            '%1 more lines are not shown',
            lines.length - MAX_LINES
          )}
        </span>
      ) : null}
    </pre>
  );
}

const CodeBlock = memo(function CodeBlock(props: {
  readonly lines: readonly DiffLine[];
}): JSX.Element {
  return (
    <>
      {props.lines.map((line, i) => (
        <CodeLine key={i} kind={line.kind} text={line.text} />
      ))}
    </>
  );
});

const CodeLine = memo(function CodeLine({ kind, text }: DiffLine): JSX.Element {
  const shown =
    text.length > MAX_LINE_LENGTH
      ? `${visibleText(text.slice(0, MAX_LINE_LENGTH))}…`
      : visibleText(text);
  switch (kind) {
    case 'added':
      return <ins className="jp-Refine-line">{shown}</ins>;
    case 'removed':
      return <del className="jp-Refine-line">{shown}</del>;
    case 'same':
      return <span className="jp-Refine-line">{shown}</span>;
  }
});
