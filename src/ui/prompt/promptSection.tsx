import * as React from 'react';
import { memo, useEffect, useId, useState } from 'react';
import type { Isolation } from '../../core/domain/execution';
import type { ModelSetup, TargetView } from '../../tokens';
import { Button } from '../shared/button';
import { canDraft, NoChecks } from '../setup/noChecks';
import { hasPlan, isChecked, PlanLine } from './planLine';
import { PromptEditor } from './promptEditor';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';
import { WhatIsSent } from './whatIsSent';

type PromptSectionProps = {
  readonly target: TargetView;
  readonly models: ModelSetup;
  readonly isolation: Isolation | null;
  readonly running: boolean;
  /** What the shown session was sent; null without one. */
  readonly sent: string | null;
  /** After a session: folded to one line, so that its result comes first. */
  readonly folded: boolean;
};

/** Prompt and checks of the target, and the buttons that start. */
export const PromptSection = memo(function PromptSection(
  props: PromptSectionProps
): JSX.Element {
  const { trans } = usePanelServices();
  const { target, folded, sent } = props;
  const prompt = (sent ?? target.prompt).trim();
  const [unfolded, setUnfolded] = useState(false);
  const id = useId();
  useEffect(() => setUnfolded(false), [folded, target.cellId]);

  if (target.deleted) {
    // How its session ended is all there is to show.
    return <></>;
  }
  if (target.refused !== null) {
    return (
      <section className="jp-Refine-section">
        <p>{visibleText(target.refused)}</p>
      </section>
    );
  }
  if (!folded) {
    return (
      <section
        className="jp-Refine-section"
        aria-label={trans.__('Prompt and checks')}
      >
        <PromptBody {...props} />
      </section>
    );
  }
  return (
    <section
      className="jp-Refine-section jp-mod-folded"
      aria-label={trans.__('Prompt and checks')}
    >
      <button
        type="button"
        className="jp-Refine-fold"
        aria-expanded={unfolded}
        aria-controls={unfolded ? id : undefined}
        onClick={() => setUnfolded(!unfolded)}
      >
        <span className="jp-Refine-triangle" aria-hidden="true" />
        <span className="jp-Refine-foldLabel">{trans.__('Prompt')}</span>
        <span className="jp-Refine-foldText">
          {prompt === '' ? trans.__('none') : visibleLine(prompt)}
        </span>
      </button>
      {unfolded ? (
        <div id={id} className="jp-Refine-foldBody">
          <PromptBody {...props} />
        </div>
      ) : null}
    </section>
  );
});

function PromptBody(props: PromptSectionProps): JSX.Element {
  const { manager, trans, perform } = usePanelServices();
  const { target, models, isolation, running, sent } = props;
  const checked = isChecked(target);
  const drafts = canDraft(target.language, isolation);
  const canRefine = models.status === 'ready' && !running;
  const refine = () => {
    if (canRefine) {
      perform(() => manager.refine());
    }
  };
  return (
    <>
      <PromptEditor
        key={target.cellId}
        target={target}
        sent={running ? (sent ?? target.prompt) : null}
        onSubmit={refine}
      />
      {hasPlan(target) ? (
        <PlanLine
          key={`plan-${target.cellId}`}
          target={target}
          isolation={isolation}
        />
      ) : null}
      {running ? null : (
        <>
          {checked ? null : (
            <NoChecks
              target={target}
              canDraft={drafts && models.status === 'ready'}
            />
          )}
          {models.status === 'ready' ? <WhatIsSent target={target} /> : null}
          <div className="jp-Refine-buttons">
            {models.status === 'ready' || models.status === 'loading' ? (
              <Button
                primary={checked || !drafts}
                disabled={!canRefine}
                onClick={refine}
              >
                {trans.__('Refine cell')}
              </Button>
            ) : null}
            <Button
              disabled={!checked}
              title={
                checked
                  ? trans.__(
                      'Runs the cell and its checks. No model is called.'
                    )
                  : trans.__('Nothing checks this cell yet.')
              }
              onClick={() => perform(() => manager.check())}
            >
              {trans.__('Check cell')}
            </Button>
          </div>
        </>
      )}
    </>
  );
}
