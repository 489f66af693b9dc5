import * as React from 'react';
import { visibleLine } from '../shared/safeText';
import { Label, TextInput, type ControlProps } from './controlParts';

/** `profile/model`: any text, with the models that the server knows as suggestions. */
export function ModelInput(props: ControlProps): JSX.Element {
  const { id, models, services, onRead } = props;
  const { trans } = services;
  const text = String(props.value ?? '');
  const profiles = 'profiles' in models ? (models.profiles ?? []) : [];
  const [profile = ''] = text.trim().split('/');
  const known =
    profile === '' ||
    profiles.length === 0 ||
    profiles.some(({ name }) => name === profile);
  return (
    <Label {...props}>
      <TextInput
        {...props}
        text={text}
        list={`${id}-models`}
        placeholder={trans.__('profile/model')}
        onText={value => onRead({ value: value.trim() })}
      />
      <datalist id={`${id}-models`}>
        {profiles.flatMap(({ name, host, models: names }) =>
          names.map(model => (
            <option key={`${name}/${model}`} value={`${name}/${model}`}>
              {visibleLine(host)}
            </option>
          ))
        )}
      </datalist>
      {known ? null : (
        <p className="jp-Refine-settingProblem">
          {trans.__(
            'This server has no profile “%1”. Profiles: %2.',
            visibleLine(profile),
            profiles.map(({ name }) => visibleLine(name)).join(', ')
          )}
        </p>
      )}
    </Label>
  );
}
