import * as React from 'react';
import { memo, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../shared/copyButton';
import { LinkButton } from '../shared/button';
import {
  diffLines,
  plainLines,
  StreamingDiff,
  toBlocks,
  type DiffBlock,
  type DiffLine
} from './lineDiff';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';
import { useFollowEnd } from '../shared/useFollowEnd';

/** Blocks that are shown, the last ones: about 1,000 lines. Earlier ones come on demand. */
const MAX_BLOCKS = 16;
/** Characters of one line that are shown. */
const MAX_LINE_LENGTH = 2000;

type CodeViewProps = {
  readonly code: string;
  /** Code of the attempt before, to show the change against; null for plain code. */
  readonly before: string | null;
  readonly streaming: boolean;
};

/** A candidate as a change to the attempt before, cheap to render with a growing candidate. */
export const CodeView = memo(function CodeView(
  props: CodeViewProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { code, before, streaming } = props;
  const [all, setAll] = useState(false);
  const blocks = useCodeBlocks(code, before, streaming);
  const { ref, onScroll } = useFollowEnd<HTMLPreElement>(code, streaming);
  const shown = all ? blocks : blocks.slice(-MAX_BLOCKS);
  const hidden = blocks.slice(0, blocks.length - shown.length);
  const hiddenLines = hidden.reduce((sum, block) => sum + block.length, 0);
  return (
    <>
      {hiddenLines > 0 ? (
        <p className="jp-Refine-remark">
          <LinkButton onClick={() => setAll(true)}>
            {trans._n('Show %1 line above', 'Show %1 lines above', hiddenLines)}
          </LinkButton>
        </p>
      ) : null}
      <div className="jp-Refine-detail">
        {streaming ? null : (
          <CopyButton label={trans.__('Copy the code')} text={code} />
        )}
        <pre
          className={`jp-Refine-code${streaming ? ' jp-mod-streaming' : ''}`}
          ref={ref}
          onScroll={onScroll}
          aria-label={
            before === null ? trans.__('Code') : trans.__('Code changes')
          }
          tabIndex={0}
        >
          {shown.map((block, i) => (
            <CodeBlock key={hidden.length + i} lines={block} />
          ))}
        </pre>
      </div>
    </>
  );
});

/** The blocks of a code; while it streams, earlier blocks are the same objects again. */
function useCodeBlocks(
  code: string,
  before: string | null,
  streaming: boolean
): readonly DiffBlock[] {
  const diff = useRef<StreamingDiff | null>(null);
  const compared = useRef<string | null>(null);
  return useMemo(() => {
    if (!streaming) {
      return toBlocks(
        before === null ? plainLines(code) : diffLines(before, code)
      );
    }
    if (diff.current === null || compared.current !== before) {
      diff.current = new StreamingDiff(before);
      compared.current = before;
    }
    const { blocks, tail } = diff.current.update(code);
    return [...blocks, ...toBlocks(tail)];
  }, [code, before, streaming]);
}

const CodeBlock = memo(function CodeBlock(props: {
  readonly lines: DiffBlock;
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
