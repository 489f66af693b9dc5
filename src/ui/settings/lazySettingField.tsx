/** The form's entry for a setting; what it shows loads with the first one that is seen. */
import * as React from 'react';
import type {
  SettingFieldProps,
  SettingFieldRenderer,
  SettingFormServices
} from './settingForm';

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
