import * as React from 'react';
import { useContext } from 'react';
import { PrimaryContext } from './services';

type ButtonProps = {
  readonly onClick?: () => void;
  readonly children: React.ReactNode;
  /** The one action that is meant; filled with the theme's colour where {@link PrimaryContext} allows. */
  readonly primary?: boolean;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly title?: string;
  readonly buttonRef?: React.Ref<HTMLButtonElement>;
};

export function Button(props: ButtonProps): JSX.Element {
  const { primary, buttonRef, type = 'button', ...rest } = props;
  const filled = useContext(PrimaryContext) && primary;
  return (
    <button
      type={type}
      ref={buttonRef}
      className={`jp-Refine-button${filled ? ' jp-mod-primary' : ''}`}
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
  const { buttonRef, expanded, controls, ...rest } = props;
  return (
    <button
      type="button"
      ref={buttonRef}
      className="jp-Refine-link"
      aria-expanded={expanded}
      aria-controls={expanded ? controls : undefined}
      {...rest}
    />
  );
}
