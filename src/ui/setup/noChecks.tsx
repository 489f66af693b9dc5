import * as React from 'react';
import type { Isolation } from '../../core/domain/execution';
import type { TargetView } from '../../tokens';
import { Button, LinkButton } from '../shared/button';
import { DraftButton } from '../shared/draftButton';
import { usePanelServices } from '../shared/services';

/** Drafts are tried on wrong versions of the cell, in isolated attempts of Python. */
export function canDraft(
  language: string | undefined,
  isolation: Pick<Isolation, 'mode'> | null
): boolean {
  return language === 'python' && isolation?.mode !== 'live';
}

/** Nothing checks the target: say so, offer cells to mark, or let a model draft some. */
export function NoChecks(props: {
  readonly target: TargetView;
  /** There is a model to draft with, and a draft can be tried. */
  readonly canDraft: boolean;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
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
        <ul>
          {candidatesForAssertion.map(({ cellId, label, assertions }) => (
            <li key={cellId}>
              <LinkButton
                onClick={() => manager.revealCell(cellId)}
                title={trans.__('Show this cell')}
              >
                {label}
              </LinkButton>
              {assertions.length > 0 ? (
                <>
                  {trans.__('shows a result and does not check it.')}
                  <Button
                    onClick={() => manager.addCheck(assertions.join('\n'))}
                    title={assertions.join('\n')}
                  >
                    {trans.__('Add %1', assertions[0])}
                  </Button>
                </>
              ) : (
                <Button onClick={() => manager.toggleAssertion(cellId)}>
                  {trans.__('Use as check')}
                </Button>
              )}
            </li>
          ))}
        </ul>
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
