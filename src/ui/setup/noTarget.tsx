import * as React from 'react';
import { usePanelServices } from '../shared/services';

/** No notebook, or no cell that could be meant. */
export function NoTarget(): JSX.Element {
  const { trans } = usePanelServices();
  return (
    <section className="jp-Refine-section">
      <p className="jp-Refine-quiet">
        {trans.__('Select a cell of a notebook to refine it.')}
      </p>
    </section>
  );
}
