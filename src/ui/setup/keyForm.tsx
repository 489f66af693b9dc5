import * as React from 'react';
import { useEffect, useRef, useState } from 'react';
import { enteredServer } from '../../tokens';
import { Button } from '../shared/button';
import { messageOf } from '../shared/format';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

const EXAMPLE_ADDRESS = 'http://localhost:11434/v1';

/**
 * Takes a key to the server, or what stands for it. The key lives in the input alone: it is read when
 * sent, cleared at once, and never part of React's state or of a message.
 */
export function KeyForm(props: {
  /** Called with true once the server has the key, or has none anymore. */
  readonly onDone: (saved?: true) => void;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  const keyInput = useRef<HTMLInputElement>(null);
  const urlInput = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const { onDone } = props;
  const entered = enteredServer(manager.view.models);

  useEffect(() => keyInput.current?.focus(), []);

  /** Without values the server forgets what it has. */
  const send = async (forget = false) => {
    const value = (input: React.RefObject<HTMLInputElement>) =>
      forget ? '' : (input.current?.value.trim() ?? '');
    const [key, url] = [value(keyInput), value(urlInput)];
    if (!forget && key === '' && url === '') {
      setProblem(trans.__('Enter a key, a server URL, or both.'));
      return;
    }
    if (keyInput.current) {
      keyInput.current.value = '';
    }
    setSending(true);
    setProblem(null);
    try {
      await manager.setKey(key, url === '' ? null : url);
      onDone(true);
    } catch (error) {
      const message = messageOf(error);
      setProblem(key === '' ? message : message.split(key).join('•••'));
      setSending(false);
    }
  };

  return (
    <form
      className="jp-Refine-keyForm"
      onSubmit={event => {
        event.preventDefault();
        void send();
      }}
    >
      <label className="jp-Refine-field">
        {trans.__('Key')}
        <input
          ref={keyInput}
          type="password"
          autoComplete="off"
          spellCheck={false}
          disabled={sending}
        />
      </label>
      <label className="jp-Refine-field">
        {trans.__('Server URL (empty: OPENAI_BASE_URL, or OpenAI)')}
        <input
          ref={urlInput}
          type="url"
          autoComplete="off"
          spellCheck={false}
          placeholder={EXAMPLE_ADDRESS}
          disabled={sending}
        />
      </label>
      <p className="jp-Refine-quiet">
        {trans.__(
          'The key is never stored in the notebook or by the browser. The Jupyter server keeps it; JupyterLite has none, so there this page does, until you reload it.'
        )}
      </p>
      {problem !== null ? (
        <p className="jp-Refine-problem" role="alert">
          {visibleText(problem)}
        </p>
      ) : null}
      <div className="jp-Refine-buttons">
        <Button primary type="submit" disabled={sending}>
          {sending ? trans.__('Saving…') : trans.__('Save')}
        </Button>
        <Button onClick={() => onDone()}>{trans.__('Cancel')}</Button>
        {entered ? (
          <Button onClick={() => send(true)}>
            {trans.__('Forget %1', entered.host)}
          </Button>
        ) : null}
      </div>
    </form>
  );
}
