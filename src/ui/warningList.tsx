import * as React from 'react';
import { memo } from 'react';
import type { SessionState } from '../core/state';
import { visibleLine } from './safeText';
import { usePanelServices } from './services';

/** Warnings that are shown; the newest count. */
const SHOWN = 4;

/** What the session wants known beside its attempts. */
export const WarningList = memo(function WarningList(props: {
  readonly warnings: SessionState['warnings'];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { warnings } = props;
  if (warnings.length === 0) {
    return null;
  }
  return (
    <ul
      className="jp-Refine-section jp-Refine-note"
      aria-label={trans.__('Warnings')}
    >
      {warnings.slice(-SHOWN).map((warning, i) => (
        <li key={i}>
          {warning.attempt === undefined
            ? visibleLine(warning.message)
            : trans.__(
                'Attempt %1: %2',
                warning.attempt,
                visibleLine(warning.message)
              )}
        </li>
      ))}
    </ul>
  );
});
