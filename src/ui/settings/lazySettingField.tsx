/** The form's entry for a setting; what it shows loads with the first one that is seen. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { IFormRenderer } from '@jupyterlab/ui-components';
import * as React from 'react';
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

export function lazySettingField(
  services: SettingFormServices
): SettingFieldRenderer {
  const Field = React.lazy(async () => {
    const { SettingField } = await import('./settingField');
    // The known models and the server's limits; the form works without them.
    services.manager.refreshModels().catch(console.warn);
    return { default: SettingField };
  });
  return function RefineSetting(props: SettingFieldProps) {
    return (
      <React.Suspense fallback={null}>
        <Field {...props} services={services} />
      </React.Suspense>
    );
  };
}
