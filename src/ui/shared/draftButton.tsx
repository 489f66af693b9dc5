import * as React from 'react';
import { Button } from './button';
import { usePanelServices } from './services';

/** Asks the model for assertions of the current target. */
export function DraftButton(props: {
  readonly primary?: boolean;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  return (
    <Button
      primary={props.primary}
      title={trans.__('The model drafts assertions. You choose which to use.')}
      onClick={() => perform(() => manager.generateAssertions())}
    >
      {trans.__('Draft assertions')}
    </Button>
  );
}
