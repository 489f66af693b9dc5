import * as React from 'react';
import { useEffect, useState } from 'react';
import { groupOf } from '../../core/settingGroups';
import { useRefineView } from '../shared/useRefineView';
import { GroupHeading } from './groupHeading';
import type { SettingFieldProps, SettingFormServices } from './settingForm';
import { ServerLimit, limitsOf } from './serverLimit';
import { SettingControl } from './settingControl';
import type { ReadValue } from './settingValue';

/** One setting in JupyterLab's settings form: its group's heading where it is the first, its control, what is wrong, what the server allows. */
export function SettingField(
  props: SettingFieldProps & { readonly services: SettingFormServices }
): JSX.Element {
  const { name, schema, registry, idSchema, formContext, services } = props;
  const { trans, manager } = services;
  const { models } = useRefineView(manager);
  const [problem, setProblem] = useState<string | null>(null);
  const id = idSchema.$id;
  const value: unknown = props.formData ?? schema.default ?? null;
  // Restored from elsewhere: what was wrong is no longer shown.
  const key = JSON.stringify(value);
  useEffect(() => setProblem(null), [key]);

  const take = (read: ReadValue) => {
    if ('problem' in read) {
      setProblem(read.problem);
    } else {
      setProblem(null);
      props.onChange(read.value);
    }
  };
  const group = groupOf(name);
  const shown = Object.keys(registry.rootSchema.properties ?? {});
  const first = group?.names.find(other => shown.includes(other)) === name;
  const fallback: unknown =
    (formContext as { readonly defaultFormData?: Record<string, unknown> })
      ?.defaultFormData?.[name] ?? null;
  const changed = key !== JSON.stringify(fallback);
  return (
    <>
      {first && group ? (
        <GroupHeading group={group} models={models} trans={trans} />
      ) : null}
      <div className="jp-Refine-setting">
        {problem !== null || changed ? (
          <div
            className={`jp-modifiedIndicator${problem !== null ? ' jp-errorIndicator' : ''}`}
          />
        ) : null}
        <SettingControl
          {...{ id, name, schema, value, services, models }}
          describedBy={`${id}-problem`}
          invalid={problem !== null}
          onRead={take}
        />
        <div
          id={`${id}-problem`}
          role="status"
          className="jp-Refine-settingProblem"
        >
          {problem !== null ? trans.__('Not saved. %1', problem) : null}
        </div>
        <ServerLimit
          name={name}
          value={value}
          limits={limitsOf(models)}
          trans={trans}
        />
      </div>
    </>
  );
}
