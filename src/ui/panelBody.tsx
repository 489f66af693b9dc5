import * as React from 'react';
import { useMemo, useRef, useState, useEffect } from 'react';
import type { TranslationBundle } from '@jupyterlab/translation';
import { hasChecks } from '../core/domain/checks/checks';
import type { SessionState } from '../core/events/state';
import {
  isWritten,
  takesKeys,
  type IRefineManager,
  type PanelFactories,
  type RefineView
} from '../tokens';
import { AttemptList, codeBefore } from './attempts/attemptList';
import { ExplanationList } from './session/explanationList';
import { History } from './session/historyView';
import { HintBox, type HintBoxHandle } from './session/hintBox';
import { InterruptedBanner } from './session/banners/interruptedBanner';
import { NoTarget } from './setup/noTarget';
import { PanelHeader } from './panelHeader';
import { PassedBanner } from './session/banners/passedBanner';
import { PartLine } from './prompt/partLine';
import { isChecked } from './prompt/planLine';
import { PromptSection } from './prompt/promptSection';
import { QuestionView } from './session/questionView';
import { visibleLine, visibleText } from './shared/safeText';
import {
  PanelServicesContext,
  PrimaryContext,
  usePanelServices,
  type PanelServices
} from './shared/services';
import {
  isRunning,
  onlyChecked,
  sentPrompt,
  passedTitle,
  statusWords,
  stoppedTitle
} from './session/sessionWords';
import { RunsBanner } from './session/banners/runsBanner';
import { SetupView } from './setup/setupView';
import { StatusLine } from './session/statusLine';
import { StoppedBanner } from './session/banners/stoppedBanner';
import { useRefineView } from './shared/useRefineView';
import { WarningList } from './session/warningList';

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
    const fail = (error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error));
    const perform: PanelServices['perform'] = action => {
      setProblem(null);
      try {
        Promise.resolve(action()).catch(fail);
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
  const hintBox = useRef<HintBoxHandle>(null);
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
  if (view.history) {
    return (
      <>
        <PanelHeader target={target} models={models} identity={identity} />
        <div className="jp-Refine-scroll">
          {failure}
          <History history={view.history} />
        </div>
      </>
    );
  }
  return (
    <>
      <PanelHeader target={target} models={models} identity={identity} />
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
              before={codeBeforeAttempt(session, question.code?.attempt)}
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
              onGiveHint={() => hintBox.current?.focus()}
            />
          </PrimaryContext.Provider>
        ) : null}
        <ExplanationList explanations={explanations} />
        {session !== null ? (
          <>
            <WarningList warnings={session.warnings} />
            <AttemptList
              key={session.session}
              session={session}
              accepted={view.accepted}
              asked={question?.code?.attempt ?? null}
              offered={showsEnd ? offeredAtEnd(session, view.accepted) : null}
            />
          </>
        ) : null}
      </div>
      {hasHintBox(view) ? (
        <HintBox
          ref={hintBox}
          text={hints.get(hintOf) ?? ''}
          onChange={text =>
            setHints(earlier => new Map(earlier).set(hintOf, text))
          }
          running={running}
          hasResult={
            session?.outcome?.passed === true || isWritten(view.accepted)
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

function SessionEnd(props: {
  readonly view: RefineView;
  readonly session: NonNullable<RefineView['session']>;
  readonly onGiveHint: () => void;
}): JSX.Element {
  const { view, session, onGiveHint } = props;
  const { accepted, cleanCheck, standing = null } = view;
  const { outcome } = session;
  if (outcome === null) {
    return <InterruptedBanner session={session} accepted={accepted} />;
  }
  if (outcome.stopReason === 'runs') {
    return <RunsBanner session={session} accepted={accepted} />;
  }
  return outcome.passed ? (
    <PassedBanner {...{ session, outcome, accepted, cleanCheck, standing }} />
  ) : (
    <StoppedBanner
      {...{ session, outcome, accepted, onGiveHint }}
      deleted={view.target?.deleted === true}
      candidates={view.target?.candidatesForAssertion ?? []}
      takesKeys={takesKeys(view.models)}
    />
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
    session?.outcome?.stopReason === 'no-checks' &&
    session.outcome.error === undefined &&
    session.request !== null &&
    !hasChecks(session.request) &&
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

/** What an attempt that is asked about is shown against. */
function codeBeforeAttempt(
  session: SessionState | null,
  attempt: number | undefined
): string | null {
  const attempts = session?.attempts ?? [];
  return codeBefore(
    attempts,
    attempts.findIndex(a => a.attempt === attempt)
  );
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
  const used = session.attempts.reduce((n, a) => n + (a.hints?.length ?? 0), 0);
  return session.hints.slice(used);
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
  if (answer && !isRunning(view)) {
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
  if (session.outcome === null) {
    return trans.__('Interrupted by a page reload');
  }
  return session.outcome.passed
    ? passedTitle(session.outcome.best?.attempt ?? 0, session.outcome, trans)
    : stoppedTitle(session, session.outcome, trans);
}
