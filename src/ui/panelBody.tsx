import * as React from 'react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { hintsUsed } from '../core/events/fold';
import type { SessionState } from '../core/events/state';
import {
  canRestore,
  isWritten,
  type IRefineManager,
  type PanelFactories,
  type RefineView
} from '../tokens';
import { AttemptList, codeBefore } from './attempts/attemptList';
import { PanelHeader } from './panelHeader';
import { isChecked } from './prompt/checks';
import { PartLine, PromptSection } from './prompt/promptSection';
import { ExplanationList } from './session/explanationList';
import { HintBox } from './session/hintBox';
import { History } from './session/historyView';
import { QuestionView } from './session/questionView';
import { SessionEnd } from './session/sessionEnd';
import {
  endTitle,
  isRunning,
  lacksChecks,
  onlyChecked,
  sentPrompt,
  statusWords
} from './session/sessionWords';
import { StatusLine } from './session/statusLine';
import { NoTarget, SetupView } from './setup/setupView';
import { messageOf } from './shared/format';
import { visibleLine, visibleText } from './shared/safeText';
import {
  PanelServicesContext,
  PrimaryContext,
  usePanelServices,
  useRefineView,
  type PanelServices
} from './shared/services';

/** The whole panel over a manager. */
export function PanelBody(props: {
  readonly manager: IRefineManager;
  readonly trans: TranslationBundle;
  readonly factories: PanelFactories;
}): JSX.Element {
  const { manager, trans, factories } = props;
  const view = useRefineView(manager);
  const [problem, setProblem] = useState<string | null>(null);
  const services = useMemo((): PanelServices => {
    const fail = (error: unknown) => setProblem(messageOf(error));
    const perform: PanelServices['perform'] = action => {
      try {
        const started = action();
        if (started) {
          setProblem(null);
          started.catch(fail);
        }
      } catch (error) {
        fail(error);
      }
    };
    return {
      manager,
      trans,
      perform,
      ...factories,
      edits: new Map(),
      asked: new Set()
    };
  }, [manager, trans, factories]);

  const isInfo = view.noticeTone === 'info';
  const root = useRef<HTMLDivElement>(null);
  const { onFocus } = useKeptFocus(root, viewKey(view));
  return (
    <PanelServicesContext.Provider value={services}>
      <div className="jp-Refine" ref={root} onFocus={onFocus}>
        <PanelViews
          view={view}
          problem={problem ?? (isInfo ? null : view.notice)}
          info={isInfo ? view.notice : null}
        />
        <Announcer view={view} />
      </div>
    </PanelServicesContext.Provider>
  );
}

function PanelViews(props: {
  readonly view: RefineView;
  readonly problem: string | null;
  readonly info: string | null;
}): JSX.Element {
  const { view, problem, info } = props;
  const { target, models, session, question, explanations = [] } = view;
  const hintArea = useRef<HTMLTextAreaElement>(null);
  // Of each cell: a hint half written survives a pass, and a look at another cell.
  const [hints, setHints] = useState<ReadonlyMap<string, string>>(new Map());
  const { trans } = usePanelServices();
  const running = isRunning(view);
  const identity =
    session?.model ?? (models.status === 'ready' ? models.identity : null);
  const ofTarget =
    session !== null &&
    (session.request === null ||
      target === null ||
      session.request.target.cellId === target.cellId);
  const attempted = session?.attempts.some(a => a.attempt > 0) ?? false;
  const over = isOver(view);
  const folded = attempted && !running && ofTarget && !over;
  const showsEnd = session !== null && !running && !over && question === null;
  const primary = primaryPlace(view);
  const hintOf = target?.cellId ?? '';
  const { followUp } = session?.request ?? {};
  const failure =
    problem !== null ? (
      <p className="jp-Refine-problem jp-Refine-section" role="alert">
        {visibleText(problem)}
      </p>
    ) : null;
  const header = (
    <PanelHeader target={target} models={models} identity={identity} />
  );
  if (view.history) {
    return (
      <>
        {header}
        <div className="jp-Refine-scroll">
          {failure}
          <History history={view.history} />
        </div>
      </>
    );
  }
  return (
    <>
      {header}
      <div className="jp-Refine-scroll">
        <PrimaryContext.Provider value={primary === 'setup'}>
          <SetupView models={models} />
        </PrimaryContext.Provider>
        {target === null && models.status !== 'no-routes' ? (
          <NoTarget models={models} />
        ) : null}
        {target !== null ? (
          <PrimaryContext.Provider value={primary === 'prompt'}>
            <PromptSection
              target={target}
              models={models}
              isolation={session?.isolation ?? view.isolation}
              running={running}
              sent={
                session !== null && ofTarget ? sentPrompt(session, trans) : null
              }
              folded={folded}
            />
          </PrimaryContext.Provider>
        ) : null}
        {failure}
        {info !== null ? (
          <p className="jp-Refine-quiet jp-Refine-section" role="status">
            {visibleText(info)}
          </p>
        ) : null}
        <div className="jp-Refine-sticky">
          {question !== null ? (
            <QuestionView
              key={question.id}
              question={question}
              before={codeBefore(
                session?.attempts ?? [],
                question.code?.attempt ?? 0
              )}
            />
          ) : null}
          {session !== null && running ? (
            <StatusLine session={session} />
          ) : null}
        </div>
        {followUp ? (
          <p className="jp-Refine-quiet jp-Refine-section">
            {trans.__('Change: %1', visibleLine(followUp.text, 300))}
          </p>
        ) : null}
        <PartLine session={session} target={target} />
        {session !== null && showsEnd ? (
          <PrimaryContext.Provider value={primary === 'end'}>
            <SessionEnd
              key={session.session}
              view={view}
              session={session}
              onGiveHint={() => hintArea.current?.focus()}
            />
          </PrimaryContext.Provider>
        ) : null}
        <ExplanationList explanations={explanations} />
        {session !== null ? (
          <AttemptList
            key={session.session}
            session={session}
            accepted={view.accepted}
            asked={question?.code?.attempt}
            offered={showsEnd ? offeredAtEnd(session, view.accepted) : null}
          />
        ) : null}
      </div>
      {hasHintBox(view) ? (
        <HintBox
          area={hintArea}
          text={hints.get(hintOf) ?? ''}
          onChange={text =>
            setHints(earlier => new Map(earlier).set(hintOf, text))
          }
          running={running}
          hasResult={
            session?.outcome?.passed === true || canRestore(view.accepted)
          }
          canRefine={
            target?.refused === null && (session?.model ?? null) !== null
          }
          pending={session === null ? [] : pendingHints(session)}
          hidden={question?.field !== undefined}
        />
      ) : null}
    </>
  );
}

/** While a model writes, and after any end: there is something to go on from, or to ask about. */
function hasHintBox(view: RefineView): boolean {
  const { session, target, models, explanations = [] } = view;
  if (target === null || target.deleted === true || models.status !== 'ready') {
    return false;
  }
  return (
    explanations.length > 0 ||
    (session !== null &&
      (isRunning(view)
        ? session.model !== null
        : session.request !== null && session.attempts.length > 0))
  );
}

/** True when a session ended for want of checks, and the cell has some now: what comes next is to refine it. */
function isOver({ session, target }: RefineView): boolean {
  return (
    session !== null &&
    lacksChecks(session) &&
    target !== null &&
    isChecked(target)
  );
}

/** The attempt that the end of a session has a button for. */
function offeredAtEnd(
  { best, outcome, request }: SessionState,
  accepted: RefineView['accepted']
): number | null {
  const offers = outcome?.passed || request?.options.keepBest !== 'never';
  return offers && !isWritten(accepted) ? best : null;
}

/** Where the one primary button of the panel is. */
function primaryPlace(
  view: RefineView
): 'question' | 'setup' | 'end' | 'prompt' {
  const { question, models, session } = view;
  if (question !== null) {
    return 'question';
  }
  if (models.status !== 'ready' && models.status !== 'loading') {
    return 'setup';
  }
  return session !== null && !isOver(view) && onlyChecked(session) === null
    ? 'end'
    : 'prompt';
}

/** Changes whenever controls may come and go. */
function viewKey(view: RefineView): string {
  const { session, question, accepted } = view;
  return [
    session?.session,
    isRunning(view),
    question?.id,
    accepted?.status,
    view.models.status,
    view.history?.shown?.entry.id ?? view.history?.path
  ].join('/');
}

/** Hints that no prompt holds yet. */
function pendingHints(session: SessionState): readonly string[] {
  return session.hints.slice(hintsUsed(session));
}

/**
 * When the focused control goes away with its view (Stop at the end of a
 * session), the keyboard lands on the next banner instead of nowhere.
 *
 * @param view What identifies the state that is shown.
 */
function useKeptFocus(
  root: React.RefObject<HTMLElement>,
  view: string
): { readonly onFocus: (event: React.FocusEvent) => void } {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const lost =
      last.current !== null &&
      !last.current.isConnected &&
      document.activeElement === document.body;
    if (lost) {
      last.current = null;
      root.current
        ?.querySelector<HTMLElement>('[data-refine-landing]')
        ?.focus({ preventScroll: true });
    }
  }, [root, view]);
  return {
    onFocus: event => {
      last.current = event.target;
    }
  };
}

/** The panel's one live region: the state of the session, never what streams. */
function Announcer(props: { readonly view: RefineView }): JSX.Element {
  const { trans } = usePanelServices();
  return (
    <div className="jp-Refine-hidden" aria-live="polite" role="status">
      {visibleLine(announcement(props.view, trans))}
    </div>
  );
}

function announcement(view: RefineView, trans: TranslationBundle): string {
  const { session, question } = view;
  if (question !== null) {
    return trans.__('Waiting for you: %1', question.title);
  }
  const answer = view.explanations?.at(-1);
  if (answer && answer.status !== 'earlier' && !isRunning(view)) {
    return answer.status === 'writing'
      ? trans.__('Writing the answer')
      : trans.__('The answer is written');
  }
  if (session === null) {
    // A notice is an alert of its own where it is shown.
    return '';
  }
  if (isRunning(view)) {
    const { main, phase } = statusWords(session, trans);
    return phase === null ? main : trans.__('%1, %2', main, phase);
  }
  return endTitle(session, trans);
}
