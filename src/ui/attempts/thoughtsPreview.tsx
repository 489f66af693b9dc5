import * as React from 'react';
import { visibleText } from '../shared/safeText';
import { useFollowEnd } from '../shared/useFollowEnd';

/** Characters of the newest thoughts that are shown while there is no code yet. */
const SHOWN = 2000;

/** The model's thoughts, as they come, in a few lines that follow their end. */
export function ThoughtsPreview(props: {
  readonly thoughts: string;
}): JSX.Element | null {
  const { thoughts } = props;
  const { ref, onScroll } = useFollowEnd<HTMLParagraphElement>(thoughts, true);
  if (thoughts.trim() === '') {
    return null;
  }
  return (
    <p ref={ref} onScroll={onScroll} className="jp-Refine-thoughts">
      {visibleText(thoughts.slice(-SHOWN))}
    </p>
  );
}
