import * as React from 'react';
import type { Tone } from './score';

type BannerProps = {
  readonly tone: Tone;
  readonly title: string;
  /** Quiet lines under the title. */
  readonly lines?: readonly string[];
  /** What must not be overlooked. */
  readonly warning?: string | null;
  /** What the warning is about, in full. */
  readonly details?: React.ReactNode;
  /** The row of buttons. */
  readonly actions?: React.ReactNode;
  /** What follows the buttons. */
  readonly children?: React.ReactNode;
};

/** How something ended: a title, its numbers, what one can do. */
export function Banner(props: BannerProps): JSX.Element {
  const { tone, title, lines, warning, details, actions, children } = props;
  return (
    <section className="jp-Refine-section jp-Refine-banner">
      <h3 className={`jp-mod-${tone}`} tabIndex={-1} data-refine-landing="">
        {tone === 'pass' ? <span aria-hidden="true">✓ </span> : null}
        {title}
      </h3>
      {(lines ?? []).map((line, i) => (
        <p key={i} className="jp-Refine-quiet">
          {line}
        </p>
      ))}
      {warning ? <p className="jp-Refine-warn">{warning}</p> : null}
      {details}
      {actions ? <div className="jp-Refine-buttons">{actions}</div> : null}
      {children}
    </section>
  );
}
