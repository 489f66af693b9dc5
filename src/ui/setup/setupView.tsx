import * as React from 'react';
import { memo, useState } from 'react';
import { takesKeys, type ModelProfile, type ModelSetup } from '../../tokens';
import { ModelOptions } from '../settings/modelField';
import { Button } from '../shared/button';
import { KeyForm } from './keyForm';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Why there is no model yet, or what is wrong with the chosen one, and what to do about it; nothing once there is one that works. */
export const SetupView = memo(function SetupView(props: {
  readonly models: ModelSetup;
}): JSX.Element | null {
  const { models } = props;
  switch (models.status) {
    case 'ready':
      return models.problem === undefined ? null : (
        <section className="jp-Refine-section" role="status">
          <p className="jp-Refine-warn">
            <Hint text={models.problem} />
          </p>
        </section>
      );
    case 'loading':
      return null;
    default:
      return <NoModel models={models} />;
  }
});

function NoModel({ models }: { readonly models: ModelSetup }): JSX.Element {
  const { manager, trans } = usePanelServices();
  const [enteringKey, setEnteringKey] = useState(false);
  const [title, ...hints] =
    models.status === 'no-model'
      ? [trans.__('No model yet'), ...models.hints]
      : models.status === 'error'
        ? [trans.__('Could not load the models'), models.message]
        : [
            trans.__('Restart the Jupyter server'),
            trans.__('It was started before jupyterlab-refine was installed.')
          ];
  // Where the server answered.
  const profiles = 'profiles' in models ? models.profiles : undefined;
  const canEnter = profiles !== undefined && takesKeys(models);
  return (
    <section className="jp-Refine-section">
      <h3>{title}</h3>
      {enteringKey
        ? null
        : hints.map((hint, i) => (
            <p key={i}>
              <Hint text={hint} />
            </p>
          ))}
      {profiles?.some(({ demo, models }) => !demo && models.length > 0) ? (
        <ModelSelect profiles={profiles} chosen="" />
      ) : null}
      {enteringKey ? (
        <KeyForm onDone={() => setEnteringKey(false)} />
      ) : (
        <div className="jp-Refine-buttons">
          <Button primary onClick={() => manager.refreshModels(true)}>
            {trans.__('Refresh')}
          </Button>
          {canEnter ? (
            <Button onClick={() => setEnteringKey(true)}>
              {trans.__('Enter a key…')}
            </Button>
          ) : null}
          {profiles ? (
            <Button onClick={() => manager.openDemo()}>
              {trans.__('Open the demo')}
            </Button>
          ) : null}
        </div>
      )}
    </section>
  );
}

/** The models of all servers; without a chosen one it asks for one. */
export function ModelSelect(props: {
  readonly profiles: readonly ModelProfile[];
  readonly chosen: string;
  /** Offers another server. */
  readonly onOther?: () => void;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { profiles, chosen, onOther } = props;
  return (
    <label className="jp-Refine-field">
      {trans.__('Model')}
      <select
        value={chosen}
        onChange={event => {
          const { value } = event.target;
          if (value === '') {
            onOther?.();
          } else {
            perform(() => manager.selectModel(value));
          }
        }}
      >
        {chosen === '' ? (
          <option value="">{trans.__('Choose a model')}</option>
        ) : null}
        <ModelOptions profiles={profiles} chosen={chosen} trans={trans} />
        {onOther ? (
          <option value="">{trans.__('Another server or key…')}</option>
        ) : null}
      </select>
    </label>
  );
}

/** Shows as code a whole line that starts like a shell command, and parts in backticks. */
export function Hint(props: { readonly text: string }): JSX.Element {
  const text = visibleText(props.text);
  if (/^(ollama|pip|export|set|OPENAI_[A-Z_]+=|jupyter) ?\S/.test(text)) {
    return <code>{text}</code>;
  }
  return (
    <>
      {text
        .split('`')
        .map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}
    </>
  );
}

const CHECK = 'assert add(1, 2) == 3';

/** No notebook, or no cell that could be meant: what Refine does, and how to start. */
export function NoTarget({
  models
}: {
  readonly models: ModelSetup;
}): JSX.Element {
  const { manager, trans } = usePanelServices();
  return (
    <section className="jp-Refine-section jp-Refine-start">
      <Picture
        label={trans.__(
          'A cell with a check: attempt 1 fails the check, attempt 2 passes and is written to the cell.'
        )}
      />
      <ol>
        <li>
          {trans.__('Write what a cell should do, as a comment at its top.')}
        </li>
        <li>
          {trans.__('Check it in the cell below:')} <code>{CHECK}</code>
        </li>
        <li>
          {trans.__(
            'Select the cell and press Refine. A model writes the code, which runs in a copy of your kernel until the checks pass.'
          )}
        </li>
      </ol>
      {/* Without a model, the set-up above has this button. */}
      {models.status === 'ready' ? (
        <div className="jp-Refine-buttons">
          <Button onClick={() => manager.openDemo()}>
            {trans.__('Open the demo')}
          </Button>
        </div>
      ) : null}
    </section>
  );
}

function Picture({ label }: { readonly label: string }): JSX.Element {
  return (
    <svg viewBox="0 0 240 72" role="img" aria-label={label}>
      <rect x="1" y="4" width="70" height="28" rx="2" />
      <path d="M9 14h40M9 22h28" />
      <rect x="1" y="40" width="70" height="24" rx="2" />
      <path d="M9 52h48" />
      <path d="M76 34h18m-5-5 5 5-5 5" />
      <rect x="100" y="16" width="52" height="36" rx="2" />
      <path className="jp-mod-failed" d="m120 28 12 12m0-12-12 12" />
      <path d="M157 34h18m-5-5 5 5-5 5" />
      <rect x="181" y="16" width="52" height="36" rx="2" />
      <path className="jp-mod-passed" d="m199 34 6 6 11-12" />
    </svg>
  );
}
