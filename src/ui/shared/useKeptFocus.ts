import { useEffect, useRef } from 'react';
import type * as React from 'react';

/**
 * When the focused control goes away with its view (Stop at the end of a
 * session), the keyboard lands on the next banner instead of nowhere.
 *
 * @param view What identifies the state that is shown.
 */
export function useKeptFocus(
  root: React.RefObject<HTMLElement>,
  view: string
): { readonly onFocus: (event: React.FocusEvent) => void } {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const lost =
      last.current !== null &&
      !last.current.isConnected &&
      document.activeElement === document.body;
    if (lost) {
      last.current = null;
      root.current
        ?.querySelector<HTMLElement>('[data-refine-landing]')
        ?.focus({ preventScroll: true });
    }
  }, [root, view]);
  return {
    onFocus: event => {
      last.current = event.target;
    }
  };
}
