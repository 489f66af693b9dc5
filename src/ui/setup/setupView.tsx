import * as React from 'react';
import { memo, useState } from 'react';
import { takesKeys, type ModelSetup } from '../../tokens';
import { Button } from '../shared/button';
import { Hint } from './hint';
import { KeyForm } from './keyForm';
import { visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';

/** Why there is no model yet, or what is wrong with the chosen one, and what to do about it; nothing once there is one that works. */
export const SetupView = memo(function SetupView(props: {
  readonly models: ModelSetup;
}): JSX.Element | null {
  const { trans } = usePanelServices();
  const { models } = props;
  switch (models.status) {
    case 'no-model':
      return <NoModel hints={models.hints} takesKeys={takesKeys(models)} />;
    case 'no-routes':
      return (
        <Problem
          title={trans.__('Restart the Jupyter server')}
          text={trans.__(
            'It was started before jupyterlab-refine was installed.'
          )}
        />
      );
    case 'error':
      return (
        <Problem
          title={trans.__('Could not load the models')}
          text={models.message}
        />
      );
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
  }
});

function NoModel(props: {
  readonly hints: readonly string[];
  readonly takesKeys: boolean;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const [enteringKey, setEnteringKey] = useState(false);
  return (
    <section className="jp-Refine-section">
      <h3>{trans.__('No model yet')}</h3>
      {props.hints.map((hint, i) => (
        <p key={i}>
          <Hint text={hint} />
        </p>
      ))}
      {props.hints.length === 0 && props.takesKeys ? (
        <p>
          {trans.__(
            'Enter a key, or the URL of an OpenAI-compatible server. Both are stored on the Jupyter server.'
          )}
        </p>
      ) : null}
      {enteringKey ? (
        <KeyForm onDone={() => setEnteringKey(false)} />
      ) : (
        <div className="jp-Refine-buttons">
          <Button
            primary
            onClick={() => perform(() => manager.refreshModels(true))}
          >
            {trans.__('Refresh')}
          </Button>
          {props.takesKeys ? (
            <Button onClick={() => setEnteringKey(true)}>
              {trans.__('Enter a key…')}
            </Button>
          ) : null}
          <Button onClick={() => perform(() => manager.openDemo())}>
            {trans.__('Open the demo')}
          </Button>
        </div>
      )}
    </section>
  );
}

/** What went wrong with the server's list; a click asks again. */
function Problem(props: {
  readonly title: string;
  readonly text: string;
}): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  return (
    <section className="jp-Refine-section">
      <h3>{props.title}</h3>
      <p>{visibleText(props.text)}</p>
      <div className="jp-Refine-buttons">
        <Button
          primary
          onClick={() => perform(() => manager.refreshModels(true))}
        >
          {trans.__('Refresh')}
        </Button>
      </div>
    </section>
  );
}
