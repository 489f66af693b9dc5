import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { IRefineManager } from '../tokens';
import { PanelBody } from './panelBody';

/** The content of the side panel: React over the manager's view. Title, icon and label belong to the shell around it. */
export class RefinePanel extends ReactWidget {
  constructor(manager: IRefineManager, translator: ITranslator) {
    super();
    this._manager = manager;
    this._trans = translator.load('jupyterlab_refine');
    this.addClass('jp-RefinePanel');
  }

  protected override render(): JSX.Element {
    return <PanelBody manager={this._manager} trans={this._trans} />;
  }

  private readonly _manager: IRefineManager;
  private readonly _trans: TranslationBundle;
}
