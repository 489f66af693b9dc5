import * as React from 'react';
import type { RunningSession } from '../../tokens';
import { Button, LinkButton } from '../shared/button';
import { usePanelServices } from '../shared/services';

/** Cells of the notebook whose sessions wait; each can be withdrawn. */
export function WaitingList(props: {
  readonly waiting: readonly RunningSession[];
}): JSX.Element | null {
  const { manager, trans } = usePanelServices();
  return props.waiting.length === 0 ? null : (
    <ul
      className="jp-Refine-section jp-Refine-waiting"
      aria-label={trans.__('Waiting sessions')}
    >
      {props.waiting.map((session, i) => (
        <li key={i}>
          <span>
            <LinkButton
              onClick={() => manager.revealCell(session.cellId)}
              title={trans.__('Show this cell')}
            >
              {session.label}
            </LinkButton>{' '}
            {trans.__('waits for %1', session.waitsFor ?? '')}
          </span>
          <Button
            onClick={() => manager.stopSession(session)}
            title={trans.__('Do not start the session of %1', session.label)}
          >
            {trans.__('Withdraw')}
          </Button>
        </li>
      ))}
    </ul>
  );
}
