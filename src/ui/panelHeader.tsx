import * as React from 'react';
import { memo, useId, useState } from 'react';
import type { ModelIdentity } from '../core/domain/model';
import { type ModelSetup, type TargetView, takesKeys } from '../tokens';
import { LinkButton } from './shared/button';
import { visibleLine } from './shared/safeText';
import { usePanelServices } from './shared/services';
import { Hint, ModelSelect } from './setup/setupView';
import { KeyForm } from './setup/keyForm';

type PanelHeaderProps = {
  readonly target: TargetView | null;
  readonly models: ModelSetup;
  /** Who answers in the session that is shown; else the chosen model. */
  readonly identity: ModelIdentity | null;
};

/** Which cell, which model on which host: always visible. */
export const PanelHeader = memo(function PanelHeader({
  target,
  models,
  identity
}: PanelHeaderProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const [menuOpen, setMenuOpen] = useState(false);
  const menuId = useId();
  if (menuOpen && models.status !== 'ready') {
    setMenuOpen(false);
  }
  return (
    <div className="jp-Refine-header">
      <div className="jp-Refine-headerLine">
        <h2>{trans.__('Refine')}</h2>
        <div className="jp-Refine-about">
          {target !== null ? (
            <LinkButton
              onClick={() => manager.revealCell(target.cellId)}
              title={trans.__('Show this cell in %1', target.path)}
            >
              {target.label}
            </LinkButton>
          ) : null}
          {identity !== null ? <ModelName identity={identity} /> : null}
        </div>
        {models.status === 'ready' ? (
          <button
            type="button"
            className="jp-Refine-menuButton"
            aria-label={trans.__('Choose a model')}
            aria-expanded={menuOpen}
            aria-controls={menuOpen ? menuId : undefined}
            onClick={() => {
              setMenuOpen(!menuOpen);
              if (!menuOpen) {
                perform(() => manager.refreshModels(true));
              }
            }}
          >
            ⋯
          </button>
        ) : null}
      </div>
      {menuOpen && models.status === 'ready' ? (
        <ModelMenu
          id={menuId}
          models={models}
          onDone={() => setMenuOpen(false)}
        />
      ) : null}
    </div>
  );
});

function ModelName(props: { readonly identity: ModelIdentity }): JSX.Element {
  const { trans } = usePanelServices();
  const { model, host, recorded } = props.identity;
  if (recorded) {
    return (
      <span>
        {visibleLine(model)}{' '}
        <span
          className="jp-Refine-chip jp-mod-quiet"
          title={trans.__('Recorded answers. No model is called.')}
        >
          {trans.__('recorded')}
        </span>
      </span>
    );
  }
  return (
    <span title={visibleLine(host)}>
      {trans.__(
        '%1 on %2',
        visibleLine(model),
        visibleLine(host).replace(/:\d+$/, '')
      )}
    </span>
  );
}

type Ready = Extract<ModelSetup, { readonly status: 'ready' }>;

type ModelMenuProps = {
  readonly id: string;
  readonly models: Ready;
  readonly onDone: () => void;
};

/** Opened from the header where a model works: choose another one, or enter a key for another server. */
function ModelMenu({ id, models, onDone }: ModelMenuProps): JSX.Element {
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
      {models.hints?.map(hint => (
        <p key={hint} className="jp-Refine-problem" role="status">
          <Hint text={hint} />
        </p>
      ))}
      <ModelSelect
        profiles={models.profiles}
        chosen={`${models.identity.profile}/${models.identity.model}`}
        onOther={takesKeys(models) ? () => setEnteringKey(true) : undefined}
      />
      {enteringKey ? <KeyForm onDone={() => setEnteringKey(false)} /> : null}
    </div>
  );
}
