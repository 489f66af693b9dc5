import * as React from 'react';
import { useEffect, useRef } from 'react';
import { Button } from '../shared/button';
import { usePanelServices, type EditorFactory } from '../shared/services';

/**
 * The code of an attempt, to be changed and run as an attempt of the user's.
 * Ctrl or Cmd + Enter runs it, Escape closes it.
 */
export function CandidateEditor(props: {
  readonly attempt: number;
  readonly source: string;
  readonly language: string;
  readonly onClose: () => void;
}): JSX.Element {
  const { manager, trans, perform, createEditor } = usePanelServices();
  const { attempt, source, language, onClose } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<ReturnType<EditorFactory>>();
  const label = trans.__('Code of attempt %1', attempt);
  useEffect(() => {
    if (!host.current) {
      return undefined;
    }
    const made = (createEditor ?? plainEditor)(host.current, {
      source,
      language,
      label
    });
    editor.current = made;
    made.focus();
    return () => made.dispose();
    // What is typed stays, whatever else changes.
  }, []);
  const run = () => {
    const code = editor.current?.source() ?? '';
    if (code.trim() !== '') {
      onClose();
      perform(() => manager.runEdited(attempt, code));
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
          onClose();
        }
      }}
    >
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
        <Button onClick={onClose}>{trans.__('Cancel')}</Button>
      </div>
    </div>
  );
}

/** Where the application has no editor of its own. */
const plainEditor: EditorFactory = (host, { source, label }) => {
  const area = document.createElement('textarea');
  area.className = 'jp-Refine-input jp-mod-code';
  area.setAttribute('aria-label', label);
  area.rows = Math.min(20, source.split('\n').length + 1);
  area.value = source;
  host.appendChild(area);
  return {
    source: () => area.value,
    focus: () => area.focus(),
    dispose: () => area.remove()
  };
};
