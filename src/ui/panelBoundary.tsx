import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

type Props = {
  readonly trans: TranslationBundle;
  readonly children: React.ReactNode;
};

/** Says that the panel could not be shown, where React would leave it empty; the session goes on. */
export class PanelBoundary extends React.Component<
  Props,
  { readonly problem: string | null }
> {
  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override state = { problem: null };

  override render(): React.ReactNode {
    const { trans, children } = this.props;
    const { problem } = this.state;
    return problem === null ? (
      children
    ) : (
      <div className="jp-Refine" role="alert">
        <p className="jp-Refine-note">
          {trans.__(
            'The panel could not be shown (%1). Sessions are not affected.',
            problem
          )}
        </p>
        <button
          className="jp-Button"
          onClick={() => this.setState({ problem: null })}
        >
          {trans.__('Show the panel again')}
        </button>
      </div>
    );
  }
}
