import * as React from 'react';
import { useEffect, useRef, useState } from 'react';
import { Button, LinkButton } from '../shared/button';
import type { PanelEditor } from '../../tokens';
import { usePanelServices } from '../shared/services';

/**
 * The code of an attempt, to be changed and run as an attempt of the user's.
 * Ctrl or Cmd + Enter runs it. Escape closes it, and so does whatever else takes
 * it off the page: what is typed is kept as {@link PanelServices.edits}`[editKey]`.
 */
export function CandidateEditor(props: {
  readonly attempt: number;
  readonly source: string;
  readonly language: string;
  readonly editKey: string;
  readonly onClose: () => void;
}): JSX.Element {
  const { manager, trans, perform, createEditor, edits } = usePanelServices();
  const { attempt, source, language, editKey, onClose } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<PanelEditor>();
  const [resumed, setResumed] = useState(edits.has(editKey));
  const label = trans.__('Code of attempt %1', attempt);
  useEffect(() => {
    if (!host.current) {
      return undefined;
    }
    const made = createEditor(host.current, {
      source: resumed ? (edits.get(editKey) ?? source) : source,
      language,
      label
    });
    editor.current = made;
    made.focus();
    return () => {
      keep();
      editor.current = undefined;
      made.dispose();
    };
    // What is typed stays, whatever else changes.
  }, [resumed]);
  const keep = () => {
    const typed = editor.current?.source();
    if (typed === source) {
      edits.delete(editKey);
    } else if (typed !== undefined) {
      edits.set(editKey, typed);
    }
  };
  const close = () => {
    keep();
    onClose();
  };
  const run = () => {
    const code = editor.current?.source() ?? '';
    if (code.trim() !== '') {
      editor.current = undefined;
      edits.delete(editKey);
      onClose();
      perform(async () => {
        try {
          await manager.runEdited(attempt, code);
        } catch (reason) {
          edits.set(editKey, code);
          throw reason;
        }
      });
    }
  };
  return (
    <div
      className="jp-Refine-editor"
      role="group"
      aria-label={label}
      onKeyDownCapture={event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          event.stopPropagation();
          run();
        } else if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          close();
        }
      }}
    >
      {resumed ? (
        <p className="jp-Refine-remark jp-Refine-quiet">
          {trans.__('Your edit, not run yet.')}{' '}
          <LinkButton onClick={() => setResumed(false)}>
            {trans.__('Start again from attempt %1', attempt)}
          </LinkButton>
        </p>
      ) : null}
      <div ref={host} className="jp-Refine-editorHost" />
      <div className="jp-Refine-buttons">
        <Button
          title={trans.__(
            'Run it isolated, against the same checks. No model writes it. (Ctrl+Enter)'
          )}
          onClick={run}
        >
          {trans.__('Run as attempt')}
        </Button>
        <Button
          title={trans.__('What you typed is kept. (Escape)')}
          onClick={close}
        >
          {trans.__('Close')}
        </Button>
      </div>
    </div>
  );
}
