import * as React from 'react';
import { failedCallCheck, RUNS_UNCHECKED } from '../../../core/domain/repair';
import type { SessionState } from '../../../core/events/state';
import type { AcceptState } from '../../../tokens';
import { Banner } from '../../shared/banner';
import { Button } from '../../shared/button';
import { DraftButton } from '../../shared/draftButton';
import { visibleText } from '../../shared/safeText';
import { usePanelServices } from '../../shared/services';
import { canDraft } from '../../setup/noChecks';

type RunsBannerProps = {
  readonly session: SessionState;
  readonly accepted: AcceptState | null;
};

/** An error is fixed and nothing checks the cell: neither a pass nor a failure. */
export function RunsBanner(props: RunsBannerProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { session, accepted } = props;
  const best = session.attempts.find(a => a.attempt === session.best);
  const written = accepted !== null && accepted.status !== 'restored';
  const check = failedCallCheck(
    session.request?.repair?.call ??
      session.attempts[0]?.execution?.repair?.call,
    best?.execution?.repair
  );
  const doubts = (best?.verdict?.reasons ?? [])
    .filter(reason => reason !== RUNS_UNCHECKED)
    .map(reason => visibleText(reason));
  return (
    <Banner
      tone="quiet"
      title={trans.__('Runs; nothing checked')}
      lines={[
        accepted !== null && accepted.message !== ''
          ? visibleText(accepted.message)
          : best === undefined || best.attempt === 0
            ? trans.__('The cell runs as it is now. Nothing was changed.')
            : trans.__(
                'Attempt %1 runs without the error. The cell is unchanged.',
                best.attempt
              ),
        ...doubts
      ]}
      actions={
        <>
          {written ? (
            <Button onClick={() => perform(() => manager.restore())}>
              {trans.__('Restore cell')}
            </Button>
          ) : best !== undefined && best.attempt > 0 ? (
            <Button
              primary
              title={trans.__(
                'Write attempt %1 to the cell and run it',
                best.attempt
              )}
              onClick={() => perform(() => manager.accept(best.attempt, true))}
            >
              {trans.__('Write and run')}
            </Button>
          ) : null}
          {canDraft(session.request?.language, session.isolation) ? (
            <DraftButton />
          ) : null}
          {check === null ? null : (
            <Button
              title={trans.__('Adds a cell below that you can edit: %1', check)}
              onClick={() => manager.addCheck(check)}
            >
              {trans.__('Check the call that failed')}
            </Button>
          )}
        </>
      }
    />
  );
}
