import * as React from 'react';
import { useEffect, useState } from 'react';
import { usePanelServices } from './services';

/** Milliseconds for which the button says that it has copied. */
const SHOWN_MS = 2000;

/** Copies a text; says so for a moment. */
export function CopyButton(props: {
  readonly text: string;
  /** What is copied, for its accessible name: `Copy the prompt`. */
  readonly label: string;
}): JSX.Element {
  const { trans, perform } = usePanelServices();
  const { text, label } = props;
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (copied) {
      const timer = setTimeout(() => setCopied(false), SHOWN_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [copied]);
  return (
    <button
      type="button"
      className="jp-Refine-button jp-Refine-copy"
      aria-label={copied ? undefined : label}
      onClick={() => perform(async () => setCopied(await copy(text)))}
    >
      {copied ? trans.__('Copied') : trans.__('Copy')}
    </button>
  );
}

/** Also where the page was not loaded over HTTPS, and has no clipboard. */
async function copy(text: string): Promise<boolean> {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard) {
    await clipboard.writeText(text);
    return true;
  }
  const { activeElement } = document;
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (activeElement instanceof HTMLElement) {
    activeElement.focus();
  }
  return isCopied;
}
