import * as React from 'react';
import { useLayoutEffect, useRef, useState } from 'react';
import type { DisplayData } from '../../core/domain/execution';
import { MoreLink } from '../shared/moreLink';
import { terminalText, visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Outputs shown at once. */
const SHOWN = 10;

/** The rich outputs of an attempt, in order. */
export function DisplayList(props: {
  readonly displays: readonly DisplayData[];
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const [all, setAll] = useState(false);
  const { displays } = props;
  const shown = all ? displays : displays.slice(0, SHOWN);
  return displays.length === 0 ? null : (
    <>
      <ul
        className="jp-Refine-displays"
        aria-label={trans.__('Plots and tables')}
      >
        {shown.map((display, i) => (
          <li key={i}>
            <Display display={display} number={i + 1} />
          </li>
        ))}
      </ul>
      <MoreLink
        hidden={displays.length - shown.length}
        onShow={() => setAll(true)}
      />
    </>
  );
}

function Display(props: {
  readonly display: DisplayData;
  readonly number: number;
}): JSX.Element {
  const { trans, renderer } = usePanelServices();
  const host = useRef<HTMLDivElement>(null);
  const [rendered, setRendered] = useState(true);
  const { display, number } = props;
  const { mime, data, text, leftOut } = display;
  const isText = mime === 'text/plain' || mime === 'application/json';
  const label = trans.__('Output %1', number);
  // While the host is still in the page: a Lumino widget cannot be detached from a removed one.
  useLayoutEffect(() => {
    const { current } = host;
    if (current && leftOut === undefined && !isText) {
      const rendered = renderer.render(display, label, current);
      setRendered(rendered !== null);
      return () => rendered?.dispose();
    }
    return undefined;
  }, [renderer, display, label, isText, leftOut]);
  const plain = isText && leftOut === undefined ? data : text;
  const withText = isText || leftOut !== undefined || !rendered;
  return (
    <>
      {leftOut !== undefined ? (
        <p className="jp-Refine-quiet">
          {trans.__(
            'An output of type %1 was not kept (%2 characters).',
            visibleLine(mime, 80),
            leftOut.toLocaleString()
          )}
        </p>
      ) : !rendered ? (
        <p className="jp-Refine-quiet">
          {trans.__(
            'An output of type %1 is not shown here. Use the attempt and run the cell to see it.',
            visibleLine(mime, 80)
          )}
        </p>
      ) : null}
      {withText && plain !== undefined ? (
        <pre tabIndex={0} aria-label={label}>
          {terminalText(plain)}
        </pre>
      ) : null}
      <div
        className="jp-Refine-display"
        ref={host}
        hidden={withText}
        role="group"
        aria-label={label}
        tabIndex={withText ? undefined : 0}
      />
    </>
  );
}
