import * as React from 'react';
import { LinkButton } from './button';
import { usePanelServices } from './services';

/** Below a list that shows a part: how many more there are, and all of them on a click; nothing when all are shown. */
export function MoreLink(props: {
  readonly hidden: number;
  readonly onShow: () => void;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  return props.hidden > 0 ? (
    <p className="jp-Refine-more">
      <LinkButton onClick={props.onShow}>
        {trans._n('%1 more', '%1 more', props.hidden)}
      </LinkButton>
    </p>
  ) : null;
}
