/** The buttons of the panel. What a click starts and fails is shown as a sentence in the panel. */
import * as React from 'react';
import { useContext, useState } from 'react';
import {
  PrimaryContext,
  usePanelServices,
  type PanelServices
} from './services';

export type OnClick = Parameters<PanelServices['perform']>[0];

type ButtonProps = {
  readonly onClick?: OnClick;
  readonly children: React.ReactNode;
  /** The one action that is meant; filled with the theme's colour where {@link PrimaryContext} allows. */
  readonly primary?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly title?: string;
  readonly buttonRef?: React.Ref<HTMLButtonElement>;
};

export function Button(props: ButtonProps): JSX.Element {
  const { perform } = usePanelServices();
  const { primary, buttonRef, onClick, type = 'button', ...rest } = props;
  const filled = useContext(PrimaryContext) && primary;
  return (
    <button
      type={type}
      ref={buttonRef}
      className={`jp-Refine-button${filled ? ' jp-mod-primary' : ''}`}
      onClick={onClick && (() => perform(onClick))}
      {...rest}
    />
  );
}

/** A button that reads as part of a sentence. */
export function LinkButton(
  props: Omit<ButtonProps, 'primary' | 'type'> & {
    /** For a link that opens a section: whether it is open. */
    readonly expanded?: boolean;
    /** Id of that section. */
    readonly controls?: string;
  }
): JSX.Element {
  const { perform } = usePanelServices();
  const { buttonRef, expanded, controls, onClick, ...rest } = props;
  return (
    <button
      type="button"
      ref={buttonRef}
      className="jp-Refine-link"
      aria-expanded={expanded}
      aria-controls={expanded ? controls : undefined}
      onClick={onClick && (() => perform(onClick))}
      {...rest}
    />
  );
}

/** The first of a long list, and for below them how many more there are, which a click shows. */
export function useFirst<T>(
  all: readonly T[],
  count: number,
  first: readonly T[] = all
): readonly [shown: readonly T[], more: JSX.Element | null] {
  const { trans } = usePanelServices();
  const [isAll, setAll] = useState(false);
  if (isAll || all.length <= count) {
    return [all, null];
  }
  const shown = first.slice(0, count);
  return [
    shown,
    <p key="more" className="jp-Refine-more">
      <LinkButton onClick={() => setAll(true)}>
        {trans._n('%1 more', '%1 more', all.length - shown.length)}
      </LinkButton>
    </p>
  ];
}
