import * as React from 'react';
import type { SessionState } from '../../core/events/state';
import type { TargetView } from '../../tokens';
import { LinkButton } from '../shared/button';
import { usePanelServices } from '../shared/services';

/** Which lines of the cell the session refines; nothing where it is the whole cell. */
export function PartLine(props: {
  readonly session: SessionState | null;
  /** The cell to lead to; none: the lines are those of another time. */
  readonly target?: TargetView | null;
}): JSX.Element | null {
  const { manager, trans } = usePanelServices();
  const { session, target } = props;
  const { part } = session?.request ?? {};
  if (!part) {
    return null;
  }
  const { first, last } = part;
  const lines =
    first === last
      ? trans.__('Refines line %1 only', first)
      : trans.__('Refines lines %1 to %2 only', first, last);
  return (
    <p className="jp-Refine-quiet jp-Refine-section">
      {target ? (
        <LinkButton
          onClick={() => manager.editCell(target.cellId, first)}
          title={trans.__('Go to line %1 of %2', first, target.label)}
        >
          {lines}
        </LinkButton>
      ) : (
        lines
      )}
      {' · '}
      {trans.__('the rest of the cell stays as it is')}
    </p>
  );
}
