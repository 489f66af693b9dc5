import * as React from 'react';
import { useState } from 'react';
import { takesKeys, type ModelSetup } from '../../tokens';
import { Hint } from './hint';
import { KeyForm } from './keyForm';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type ModelMenuProps = {
  readonly id: string;
  readonly models: ModelSetup;
  readonly onDone: () => void;
};

/** Value of the choice that is no model. */
const OTHER = '';

/** Opened from the header where a model works: choose another one, or enter a key for another server. */
export function ModelMenu({ id, models, onDone }: ModelMenuProps): JSX.Element {
  const { trans } = usePanelServices();
  const [enteringKey, setEnteringKey] = useState(false);
  return (
    <div
      id={id}
      className="jp-Refine-menu"
      role="group"
      aria-label={trans.__('Model')}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          onDone();
        }
      }}
    >
      {models.status === 'ready'
        ? models.hints?.map(hint => (
            <p key={hint} className="jp-Refine-problem" role="status">
              <Hint text={hint} />
            </p>
          ))
        : null}
      <ModelSelect models={models} onOther={() => setEnteringKey(true)} />
      {enteringKey ? <KeyForm onDone={() => setEnteringKey(false)} /> : null}
    </div>
  );
}

function ModelSelect(props: {
  readonly models: ModelSetup;
  readonly onOther: () => void;
}): JSX.Element | null {
  const { manager, trans, perform } = usePanelServices();
  const { models, onOther } = props;
  if (models.status !== 'ready' || models.profiles.length === 0) {
    return null;
  }
  const { identity, profiles } = models;
  const chosen = `${identity.profile}\n${identity.model}`;
  const options = profiles.map(profile => ({
    profile,
    names:
      profile.models.length > 0
        ? profile.models
        : profile.defaultModel !== null
          ? [profile.defaultModel]
          : []
  }));
  return (
    <label className="jp-Refine-field">
      {trans.__('Model')}
      <select
        value={chosen}
        onChange={event => {
          const { value } = event.target;
          const [profile = '', model = ''] = value.split('\n');
          if (value === OTHER) {
            onOther();
          } else {
            perform(() => manager.selectModel(profile, model));
          }
        }}
      >
        {options.some(
          ({ profile, names }) =>
            profile.name === identity.profile && names.includes(identity.model)
        ) ? null : (
          <option value={chosen}>
            {trans.__('%1 (not listed)', visibleLine(identity.model))}
          </option>
        )}
        {options.map(({ profile, names }) => (
          <optgroup
            key={profile.name}
            label={
              profile.demo
                ? trans.__('%1 (recorded)', visibleLine(profile.name))
                : trans.__(
                    '%1 on %2',
                    visibleLine(profile.name),
                    visibleLine(profile.host)
                  )
            }
          >
            {names.map(name => (
              <option key={name} value={`${profile.name}\n${name}`}>
                {visibleLine(name)}
              </option>
            ))}
          </optgroup>
        ))}
        {takesKeys(models) ? (
          <option value={OTHER}>{trans.__('Another server or key…')}</option>
        ) : null}
      </select>
    </label>
  );
}
