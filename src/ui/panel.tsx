import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { IDisplayRenderer, IRefineManager } from '../tokens';
import { PanelBody } from './panelBody';
import { PanelBoundary } from './panelBoundary';
import { DisplayRendererContext, type PanelFactories } from './shared/services';

/** The content of the side panel: React over the manager's view. Title, icon and label belong to the shell around it. */
export class RefinePanel extends ReactWidget {
  /** @param renderer - null where nothing renders outputs. */
  constructor(
    manager: IRefineManager,
    translator: ITranslator,
    factories: PanelFactories = {},
    private readonly _renderer: IDisplayRenderer | null = null
  ) {
    super();
    this._factories = factories;
    this._manager = manager;
    this._trans = translator.load('jupyterlab_refine');
    this.addClass('jp-RefinePanel');
  }

  protected override render(): JSX.Element {
    return (
      <DisplayRendererContext.Provider value={this._renderer}>
        <PanelBoundary trans={this._trans}>
          <PanelBody
            manager={this._manager}
            trans={this._trans}
            factories={this._factories}
          />
        </PanelBoundary>
      </DisplayRendererContext.Provider>
    );
  }

  private readonly _manager: IRefineManager;
  private readonly _factories: PanelFactories;
  private readonly _trans: TranslationBundle;
}
