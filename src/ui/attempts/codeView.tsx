import { diffArrays } from 'diff';
import * as React from 'react';
import { memo, useMemo } from 'react';
import { CopyButton } from '../shared/copyButton';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';
import { useFollowEnd } from '../shared/useFollowEnd';

/** Characters of one line that are shown. */
const MAX_LINE_LENGTH = 2000;

type CodeViewProps = {
  readonly code: string;
  /** Code of the attempt before, to show the change against; null for plain code. */
  readonly before: string | null;
  readonly streaming: boolean;
};

/** A candidate as it is written; once it is whole, as a change to the attempt before. */
export const CodeView = memo(function CodeView(
  props: CodeViewProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { code, streaming } = props;
  const before = streaming ? null : props.before;
  const lines = useMemo(
    () => (before === null ? plainLines(code) : diffLines(before, code)),
    [code, before]
  );
  const { ref, onScroll } = useFollowEnd<HTMLPreElement>(code, streaming);
  return (
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
        {lines.map(({ kind, text }, i) => (
          <CodeLine key={i} kind={kind} text={text} />
        ))}
      </pre>
    </div>
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

type DiffLine = {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
};

/** Edits beyond which a comparison is given up: it bounds the work to a few milliseconds. */
const MAX_EDITS = 300;

/** All lines of `after` against `before`; where they differ very much, all of one and then all of the other. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changes = diffArrays(old, now, { maxEditLength: MAX_EDITS }) ?? [
    { added: false, removed: true, value: old },
    { added: true, removed: false, value: now }
  ];
  return changes.flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => ({
      kind: added ? 'added' : removed ? 'removed' : 'same',
      text
    }))
  );
}

function plainLines(code: string): readonly DiffLine[] {
  const lines = code.replace(/\n$/, '').split('\n');
  return lines.map(text => ({ kind: 'same', text }));
}
