import * as React from 'react';
import type { OpenDispute } from '../../core/domain/checks/dispute';
import { AssertionItem } from '../attempts/assertionItem';
import { Button } from '../shared/button';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** A disputed check: what it says, why the model objects, and what the best candidate gives. */
export function DisputeView(props: {
  readonly dispute: OpenDispute;
}): JSX.Element {
  const { trans } = usePanelServices();
  const { check, reason, given } = props.dispute;
  return (
    <div className="jp-Refine-dispute">
      {given ? null : (
        <pre tabIndex={0}>
          <code>{visibleText(check.source)}</code>
        </pre>
      )}
      <p className="jp-Refine-quiet">{trans.__('The model’s reason:')}</p>
      <blockquote>{visibleText(reason)}</blockquote>
      {given ? (
        <>
          <p className="jp-Refine-quiet">
            {given.attempt === 0
              ? trans.__('What the current code gives:')
              : trans.__('What attempt %1 gives:', given.attempt)}
          </p>
          <ul className="jp-Refine-assertions">
            <AssertionItem result={given.result} />
          </ul>
        </>
      ) : (
        <p className="jp-Refine-quiet">{trans.__('No code has run so far.')}</p>
      )}
    </div>
  );
}

/** The user decides: the check is wrong, right, or left out of this session. */
export function DisputeActions(props: {
  readonly dispute: OpenDispute;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { cellId, line } = props.dispute.check;
  return (
    <>
      <Button primary onClick={() => manager.editCell(cellId, line)}>
        {trans.__('Edit check')}
      </Button>
      <Button onClick={() => perform(() => manager.answerDispute('right'))}>
        {trans.__('The check is right, go on')}
      </Button>
      <Button onClick={() => perform(() => manager.answerDispute('skip'))}>
        {trans.__('Skip this check')}
      </Button>
    </>
  );
}
