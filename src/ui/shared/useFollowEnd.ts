import { useCallback, useLayoutEffect, useRef } from 'react';
import type * as React from 'react';

/** Pixels from the end that still count as being there. */
const TOLERANCE = 8;

/**
 * Keeps a scrolled element at its end while `content` grows, if and only if it
 * was there before: a reader who scrolled up is left alone.
 *
 * @param active False: never scroll; the reader starts at the top.
 */
export function useFollowEnd<E extends HTMLElement>(
  content: unknown,
  active: boolean
): { readonly ref: React.RefObject<E>; readonly onScroll: () => void } {
  const ref = useRef<E>(null);
  const atEnd = useRef(true);
  const onScroll = useCallback(() => {
    const element = ref.current;
    if (element !== null) {
      atEnd.current =
        element.scrollHeight - element.scrollTop - element.clientHeight <=
        TOLERANCE;
    }
  }, []);
  useLayoutEffect(() => {
    const element = ref.current;
    if (active && atEnd.current && element !== null) {
      element.scrollTop = element.scrollHeight;
    }
  }, [content, active]);
  return { ref, onScroll };
}
