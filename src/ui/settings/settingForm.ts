/** What JupyterLab's settings form gives each of our settings, and what we add. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IFormRenderer } from '@jupyterlab/ui-components';
import type * as React from 'react';
import type { IRefineManager } from '../../tokens';

export type SettingFormServices = {
  readonly manager: IRefineManager;
  readonly trans: TranslationBundle;
  /** Names of the evaluators and feedback strategies that other extensions have added. */
  readonly added: () => {
    readonly evaluators: readonly string[];
    readonly feedback: readonly string[];
  };
};

export type SettingFieldRenderer = NonNullable<IFormRenderer['fieldRenderer']>;
export type SettingFieldProps = React.ComponentProps<SettingFieldRenderer>;
