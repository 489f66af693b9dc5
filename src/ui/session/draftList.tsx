import * as React from 'react';
import { memo, useEffect, useRef, useState } from 'react';
import type { DraftedAssertion } from '../../core/domain/checks/drafted';
import { Button, LinkButton } from '../shared/button';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type DraftListProps = {
  readonly drafts: readonly DraftedAssertion[];
  /** Lines of those that are ticked. */
  readonly ticked: readonly number[];
  readonly onChange: (ticked: readonly number[]) => void;
  /** Tries what the user made of the draft of a line, and offers that. */
  readonly onEdit: (line: number, text: string) => Promise<void>;
  /** An editor was opened or closed. */
  readonly onEditing: (open: boolean) => void;
};

/** Drafted assertions with a box to tick, each can be edited; what the code contradicts says so; unusable ones come last, with the reason. */
export const DraftList = memo(function DraftList(
  props: DraftListProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { drafts, ticked, onChange, onEdit, onEditing } = props;
  const [editing, setEdited] = useState<number | null>(null);
  const setEditing = (line: number | null) => {
    setEdited(line);
    onEditing(line !== null);
  };
  const offered = drafts.filter(draft => draft.problem === null);
  const leftOut = drafts.filter(draft => draft.problem !== null);
  const toggle = (line: number) =>
    onChange(
      ticked.includes(line)
        ? ticked.filter(other => other !== line)
        : [...ticked, line]
    );
  const editor = (draft: DraftedAssertion) => (
    <DraftEditor
      draft={draft}
      onSave={async text => {
        await onEdit(draft.line, text);
        onChange([...ticked.filter(line => line !== draft.line), draft.line]);
      }}
      onClose={() => setEditing(null)}
    />
  );
  const edit = (draft: DraftedAssertion) => (
    <LinkButton
      aria-label={trans.__('Edit %1', visibleLine(sourceOf(draft), 80))}
      onClick={() => setEditing(draft.line)}
    >
      {trans.__('Edit')}
    </LinkButton>
  );
  return (
    <div className="jp-Refine-drafts">
      {offered.length > 0 ? (
        <ul aria-label={trans.__('Drafted assertions')}>
          {offered.map(draft => (
            <li key={draft.line}>
              {editing === draft.line ? (
                editor(draft)
              ) : (
                <div className="jp-Refine-draft">
                  <label>
                    <input
                      type="checkbox"
                      checked={ticked.includes(draft.line)}
                      onChange={() => toggle(draft.line)}
                    />
                    <code>{visibleText(sourceOf(draft))}</code>
                    <Contradiction draft={draft} />
                  </label>
                  {edit(draft)}
                </div>
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {leftOut.length > 0 ? (
        <>
          <p className="jp-Refine-quiet">
            {trans._n('%1 left out', '%1 left out', leftOut.length)}
          </p>
          <ul aria-label={trans.__('Left out')}>
            {leftOut.map(draft => (
              <li key={draft.line}>
                {editing === draft.line ? (
                  editor(draft)
                ) : (
                  <div className="jp-Refine-draft">
                    <div className="jp-mod-leftOut">
                      <code>{visibleText(sourceOf(draft))}</code>
                      <span className="jp-Refine-quiet">
                        {visibleLine(draft.problem ?? '')}
                      </span>
                    </div>
                    {edit(draft)}
                  </div>
                )}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
});

/** What the code of the cell gives instead; nothing where it agrees. */
function Contradiction(props: {
  readonly draft: DraftedAssertion;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { contradicted } = props.draft;
  if (!contradicted) {
    return null;
  }
  const { expected, observed, error } = contradicted;
  return (
    <span className="jp-Refine-warn">
      {visibleLine(
        observed !== undefined
          ? trans.__('expects %1, your code gives %2', expected, observed)
          : error !== undefined
            ? trans.__('your code raises %1', error)
            : trans.__('your code does not pass it')
      )}
    </span>
  );
}

/** What counts: the user's text, if there is one. */
function sourceOf({ source, edited }: DraftedAssertion): string {
  return edited ?? source;
}

/** The text of one draft; Ctrl or Cmd + Enter tries it, Escape leaves it as it was. */
function DraftEditor(props: {
  readonly draft: DraftedAssertion;
  readonly onSave: (text: string) => Promise<void>;
  readonly onClose: () => void;
}): JSX.Element {
  const { trans, perform } = usePanelServices();
  const { draft, onSave, onClose } = props;
  const [text, setText] = useState(sourceOf(draft));
  const [trying, setTrying] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const save = () => {
    if (trying || text.trim() === '') {
      return;
    }
    setTrying(true);
    perform(() =>
      onSave(text).then(onClose, (error: unknown) => {
        setTrying(false);
        throw error;
      })
    );
  };
  return (
    <div className="jp-Refine-draftEditor" aria-busy={trying}>
      <textarea
        ref={area}
        className="jp-Refine-input jp-mod-code"
        aria-label={trans.__('Assertion')}
        rows={Math.min(8, text.split('\n').length + 1)}
        spellCheck={false}
        value={text}
        readOnly={trying}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            event.stopPropagation();
            save();
          } else if (event.key === 'Escape') {
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }
        }}
      />
      <div className="jp-Refine-buttons">
        <Button disabled={trying || text.trim() === ''} onClick={save}>
          {trying ? trans.__('Trying it…') : trans.__('Save')}
        </Button>
        <Button disabled={trying} onClick={onClose}>
          {trans.__('Cancel')}
        </Button>
      </div>
    </div>
  );
}
