import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { IRefineManager, PanelFactories } from '../tokens';
import { PanelBody } from './panelBody';
import { messageOf } from './shared/format';

type Props = {
  readonly trans: TranslationBundle;
  readonly children: React.ReactNode;
};

/** Says that the panel could not be shown, where React would leave it empty; the session goes on. */
class PanelBoundary extends React.Component<
  Props,
  { readonly problem: string | null }
> {
  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: messageOf(error) };
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

/** The content of the side panel: React over the manager's view. Title, icon and label belong to the shell around it. */
export class RefinePanel extends ReactWidget {
  constructor(
    private readonly _manager: IRefineManager,
    translator: ITranslator,
    private readonly _factories: PanelFactories
  ) {
    super();
    this._trans = translator.load('jupyterlab_refine');
    this.addClass('jp-RefinePanel');
  }

  protected override render(): JSX.Element {
    return (
      <PanelBoundary trans={this._trans}>
        <PanelBody
          manager={this._manager}
          trans={this._trans}
          factories={this._factories}
        />
      </PanelBoundary>
    );
  }

  private readonly _trans: TranslationBundle;
}
