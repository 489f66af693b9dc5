import * as React from 'react';
import { useState } from 'react';
import { takesKeys, type ModelSetup } from '../../tokens';
import { Button } from '../shared/button';
import { Hint } from './hint';
import { KeyForm } from './keyForm';
import { visibleLine } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

type ModelMenuProps = {
  readonly id: string;
  readonly models: ModelSetup;
  readonly onDone: () => void;
};

/** Opened from the header: choose a model, look again, enter a key. */
export function ModelMenu({ id, models, onDone }: ModelMenuProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const [enteringKey, setEnteringKey] = useState(false);
  return (
    <div
      id={id}
      className="jp-Refine-menu"
      role="group"
      aria-label={trans.__('Model and key')}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          onDone();
        }
      }}
    >
      <ModelSelect models={models} />
      <div role="status">
        {hintsOf(models).map(hint => (
          <p key={hint} className="jp-Refine-problem">
            <Hint text={hint} />
          </p>
        ))}
      </div>
      <div className="jp-Refine-buttons">
        <Button onClick={() => perform(() => manager.refreshModels(true))}>
          {trans.__('Refresh')}
        </Button>
        {enteringKey || !takesKeys(models) ? null : (
          <Button onClick={() => setEnteringKey(true)}>
            {trans.__('Enter a key…')}
          </Button>
        )}
        <Button onClick={() => perform(() => manager.openDemo())}>
          {trans.__('Open the demo')}
        </Button>
      </div>
      {enteringKey ? <KeyForm onDone={() => setEnteringKey(false)} /> : null}
    </div>
  );
}

/** Only for a usable model: without one, the panel itself shows the hints. */
function hintsOf(models: ModelSetup): readonly string[] {
  return models.status === 'ready' ? (models.hints ?? []) : [];
}

function ModelSelect(props: {
  readonly models: ModelSetup;
}): JSX.Element | null {
  const { manager, trans, perform } = usePanelServices();
  const { models } = props;
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
          const [profile = '', model = ''] = event.target.value.split('\n');
          perform(() => manager.selectModel(profile, model));
        }}
      >
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
      </select>
    </label>
  );
}
