import * as React from 'react';
import { memo } from 'react';
import type { SessionState } from '../../core/events/state';
import { LinkButton } from '../shared/button';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Warnings that are shown: the newest, and beside them those of checks, which come first. */
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
      {[
        ...warnings.filter(isOfCheck).slice(0, SHOWN),
        ...warnings.filter(w => !isOfCheck(w)).slice(-SHOWN)
      ].map((warning, i) => (
        <li key={i}>
          {warning.check ? (
            <CheckWarning
              cellId={warning.check.cellId}
              message={warning.message}
            />
          ) : warning.attempt === undefined ? (
            visibleLine(warning.message)
          ) : (
            trans.__(
              'Attempt %1: %2',
              warning.attempt,
              visibleLine(warning.message)
            )
          )}
        </li>
      ))}
    </ul>
  );
});

function isOfCheck({ check }: SessionState['warnings'][number]): boolean {
  return check !== undefined;
}

/** Leads to the cell that it is about. */
function CheckWarning(props: {
  readonly cellId: string;
  readonly message: string;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  return (
    <LinkButton
      onClick={() => manager.revealCell(props.cellId)}
      title={trans.__('Show this cell')}
    >
      {visibleLine(props.message)}
    </LinkButton>
  );
}
