import * as React from 'react';
import { heldSomething } from '../../../core/events/best';
import { attemptsLeft } from '../../../core/events/history';
import type { SessionState } from '../../../core/events/state';
import type { AcceptState } from '../../../tokens';
import { Banner } from '../../shared/banner';
import { Button } from '../../shared/button';
import { visibleText } from '../../shared/safeText';
import { bestText } from '../../shared/score';
import { usePanelServices } from '../../shared/services';

/** A session that a reload of the page cut off; its attempts come from the journal. */
export function InterruptedBanner(props: {
  readonly session: SessionState;
  readonly accepted: AcceptState | null;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { session, accepted } = props;
  const best = session.attempts.find(a => a.attempt === session.best);
  const text = bestText(session, trans);
  return (
    <Banner
      tone="some"
      title={
        text === null
          ? trans.__('Interrupted by a page reload')
          : trans.__('Interrupted by a page reload: best %1', text)
      }
      lines={[
        accepted !== null && accepted.message !== ''
          ? visibleText(accepted.message)
          : trans.__(
              'All attempts are kept. Nothing is running, and the cell is unchanged.'
            )
      ]}
      actions={
        <>
          {best !== undefined && heldSomething(best) ? (
            <Button onClick={() => perform(() => manager.accept(best.attempt))}>
              {trans.__('Use attempt %1', best.attempt)}
            </Button>
          ) : null}
          <Button
            primary
            onClick={() =>
              perform(() => manager.moreAttempts(attemptsLeft(session)))
            }
          >
            {trans.__('Resume')}
          </Button>
        </>
      }
    />
  );
}
