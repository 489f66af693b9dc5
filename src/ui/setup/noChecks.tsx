import * as React from 'react';
import type { Isolation } from '../../core/domain/execution';
import type { TargetView } from '../../tokens';
import { Button } from '../shared/button';
import { DraftButton } from '../shared/draftButton';
import { usePanelServices } from '../shared/services';

/** Drafts are tried in isolated attempts of Python. */
export function canDraft(
  language: string | undefined,
  isolation: Pick<Isolation, 'mode'> | null
): boolean {
  return language === 'python' && isolation?.mode !== 'live';
}

/** A button for each cell below that could be a check. */
export function PossibleChecks(props: {
  readonly candidates: TargetView['candidatesForAssertion'];
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  return (
    <div className="jp-Refine-buttons">
      {props.candidates.map(({ cellId, label, assertions }) =>
        assertions.length > 0 ? (
          <Button
            key={cellId}
            onClick={() => manager.addCheck(assertions.join('\n'))}
            title={trans.__(
              '%1 shows a result and does not check it. This adds: %2',
              label,
              assertions.join('\n')
            )}
          >
            {trans.__('Add %1', assertions[0])}
          </Button>
        ) : (
          <Button
            key={cellId}
            onClick={() => manager.toggleAssertion(cellId)}
            title={trans.__('Tags it as a check of this cell')}
          >
            {trans.__('Use %1 as checks', label)}
          </Button>
        )
      )}
    </div>
  );
}

/** Nothing checks the target: say so, offer cells to mark, or let a model draft some. */
export function NoChecks(props: {
  readonly target: TargetView;
  /** There is a model to draft with, and a draft can be tried. */
  readonly canDraft: boolean;
}): JSX.Element {
  const { trans } = usePanelServices();
  const { candidatesForAssertion } = props.target;
  return (
    <div className="jp-Refine-noChecks">
      <p>
        <strong>{trans.__('Nothing checks this cell yet.')}</strong>{' '}
        {trans.__(
          'Refine can write code, but cannot tell whether it is right.'
        )}
      </p>
      {candidatesForAssertion.length > 0 ? (
        <PossibleChecks candidates={candidatesForAssertion} />
      ) : (
        <p className="jp-Refine-quiet">
          {trans.__(
            'Add a cell with assert statements below it, or tag a cell refine-assert.'
          )}
        </p>
      )}
      {props.canDraft ? (
        <div className="jp-Refine-buttons">
          <DraftButton primary />
        </div>
      ) : null}
    </div>
  );
}
