import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';
import type { IRefineManager } from '../tokens';
import { refineIcon } from './icon';
import { PanelBody } from './panelBody';

/** The side panel: React over the manager's view, in a Lumino shell. */
export class RefinePanel extends ReactWidget {
  constructor(manager: IRefineManager, translator: ITranslator) {
    super();
    this._manager = manager;
    this._trans = translator.load('jupyterlab_refine');
    this.id = 'jupyterlab-refine-panel';
    this.addClass('jp-RefinePanel');
    this.title.icon = refineIcon;
    this.title.caption = this._trans.__('Refine');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', this._trans.__('Refine'));
  }

  protected render(): JSX.Element {
    return <PanelBody manager={this._manager} trans={this._trans} />;
  }

  private readonly _manager: IRefineManager;
  private readonly _trans: TranslationBundle;
}
