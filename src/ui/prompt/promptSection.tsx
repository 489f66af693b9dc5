/** What the cell should do: the prompt, its checks, and the buttons that start. */
import * as React from 'react';
import {
  memo,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState
} from 'react';
import type { Isolation } from '../../core/domain/execution';
import type { SessionState } from '../../core/events/state';
import type { ModelSetup, TargetView } from '../../tokens';
import { Button, LinkButton } from '../shared/button';
import { visibleLine, visibleText } from '../shared/safeText';
import { usePanelServices } from '../shared/services';
import { canDraft, hasPlan, isChecked, NoChecks, PlanLine } from './checks';
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
  const { target, folded, sent, isolation, running } = props;
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
      <section key={target.cellId} className="jp-Refine-section">
        <p>{visibleText(target.refused)}</p>
        {isChecked(target) && !running ? (
          <>
            <PlanLine target={target} isolation={isolation} />
            <div className="jp-Refine-buttons">
              <CheckButton enabled />
            </div>
          </>
        ) : null}
      </section>
    );
  }
  return (
    <section
      className={`jp-Refine-section${folded ? ' jp-mod-folded' : ''}`}
      aria-label={trans.__('Prompt and checks')}
    >
      {folded ? (
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
      ) : null}
      {!folded ? (
        <PromptBody {...props} />
      ) : unfolded ? (
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
            <NoChecks canDraft={drafts && models.status === 'ready'} />
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
            <CheckButton enabled={checked} />
          </div>
        </>
      )}
    </>
  );
}

function CheckButton({ enabled }: { readonly enabled: boolean }): JSX.Element {
  const { manager, trans } = usePanelServices();
  const title = enabled
    ? trans.__('Runs the cell and its checks. No model is called.')
    : trans.__('Nothing checks this cell yet.');
  return (
    <Button disabled={!enabled} title={title} onClick={() => manager.check()}>
      {trans.__('Check cell')}
    </Button>
  );
}

type PromptEditorProps = {
  readonly target: TargetView;
  /** While a session runs: what it was sent, which cannot change any more; else null. */
  readonly sent: string | null;
  /** Ctrl or Cmd + Enter. */
  readonly onSubmit: () => void;
};

/** The prompt of the target. What is typed stays here and goes to the manager; text from the notebook fills it. */
function PromptEditor(props: PromptEditorProps): JSX.Element {
  const { manager, trans } = usePanelServices();
  const { target, sent, onSubmit } = props;
  const origin = target.promptOrigin;
  const [typed, setText] = useState(target.prompt);
  const text = sent ?? typed;
  const area = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    // While it is typed here, the view only repeats it, late.
    if (document.activeElement !== area.current) {
      setText(target.prompt);
    }
  }, [target.prompt]);

  useLayoutEffect(() => fitHeight(area.current), [text]);
  useEffect(() => {
    // What is hidden has no height: again when the panel is shown.
    const shown = new IntersectionObserver(() => fitHeight(area.current));
    shown.observe(area.current!);
    return () => shown.disconnect();
  }, []);

  return (
    <>
      <textarea
        ref={area}
        className="jp-Refine-input"
        aria-label={trans.__('What the cell should do')}
        placeholder={trans.__('What should this cell do?')}
        rows={2}
        value={text}
        readOnly={sent !== null || origin === 'magic'}
        onChange={event => {
          setText(event.target.value);
          manager.setPrompt(event.target.value);
        }}
        onKeyDown={event => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            onSubmit();
          }
        }}
      />
      {sent !== null && target.edited ? (
        <p className="jp-Refine-quiet">
          {trans.__(
            'The cell was edited since. Your edit is kept; the session uses the prompt above.'
          )}
        </p>
      ) : null}
      {sent === null &&
      origin !== 'panel' &&
      text === target.prompt &&
      text !== '' ? (
        <p className="jp-Refine-quiet">
          {origin === 'magic'
            ? trans.__('From the %1 cell. Edit it there.', '%%refine')
            : trans.__('From the notebook. Edit to override.')}
        </p>
      ) : null}
    </>
  );
}

/** As high as its text, so that nothing scrolls inside; CSS limits it. */
function fitHeight(element: HTMLTextAreaElement | null): void {
  if (element !== null) {
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight + 2}px`;
  }
}

/** Which lines of the cell the session refines; nothing where it is the whole cell. */
export function PartLine(props: {
  readonly session: SessionState | null;
  /** The cell to lead to; none: the lines are those of another time. */
  readonly target?: TargetView | null;
}): JSX.Element | null {
  const { manager, trans } = usePanelServices();
  const { session, target } = props;
  const { part } = session?.request ?? {};
  if (!part) {
    return null;
  }
  const { first, last } = part;
  const lines =
    first === last
      ? trans.__('Refines line %1 only', first)
      : trans.__('Refines lines %1 to %2 only', first, last);
  return (
    <p className="jp-Refine-quiet jp-Refine-section">
      {target ? (
        <LinkButton
          onClick={() => manager.editCell(target.cellId, first)}
          title={trans.__('Go to line %1 of %2', first, target.label)}
        >
          {lines}
        </LinkButton>
      ) : (
        lines
      )}
      {' · '}
      {trans.__('the rest of the cell stays as it is')}
    </p>
  );
}
