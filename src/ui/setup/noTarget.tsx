import * as React from 'react';
import type { ModelSetup } from '../../tokens';
import { Button } from '../shared/button';
import { usePanelServices } from '../shared/services';

const CHECK = 'assert add(1, 2) == 3';

/** No notebook, or no cell that could be meant: what Refine does, and how to start. */
export function NoTarget({
  models
}: {
  readonly models: ModelSetup;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  return (
    <section className="jp-Refine-section jp-Refine-start">
      <Picture
        label={trans.__(
          'A cell with a check: attempt 1 fails the check, attempt 2 passes and is written to the cell.'
        )}
      />
      <ol>
        <li>
          {trans.__('Write what a cell should do, as a comment at its top.')}
        </li>
        <li>
          {trans.__('Check it in the cell below:')} <code>{CHECK}</code>
        </li>
        <li>
          {trans.__(
            'Select the cell and press Refine. A model writes the code, which runs in a copy of your kernel until the checks pass.'
          )}
        </li>
      </ol>
      {/* Without a model, the set-up above has this button. */}
      {models.status === 'ready' ? (
        <div className="jp-Refine-buttons">
          <Button onClick={() => perform(() => manager.openDemo())}>
            {trans.__('Open the demo')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Picture({ label }: { readonly label: string }): JSX.Element {
  return (
    <svg viewBox="0 0 240 72" role="img" aria-label={label}>
      <rect x="1" y="4" width="70" height="28" rx="2" />
      <path d="M9 14h40M9 22h28" />
      <rect x="1" y="40" width="70" height="24" rx="2" />
      <path d="M9 52h48" />
      <path d="M76 34h18m-5-5 5 5-5 5" />
      <rect x="100" y="16" width="52" height="36" rx="2" />
      <path className="jp-mod-failed" d="m120 28 12 12m0-12-12 12" />
      <path d="M157 34h18m-5-5 5 5-5 5" />
      <rect x="181" y="16" width="52" height="36" rx="2" />
      <path className="jp-mod-passed" d="m199 34 6 6 11-12" />
    </svg>
  );
}
