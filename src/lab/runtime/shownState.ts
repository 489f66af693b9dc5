/** What the manager shows: the state of all its parts as one view, renewed at most once a frame. */
import { Signal } from '@lumino/signaling';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type {
  NoticeTone,
  RefineStart,
  RefineView,
  RunningSession,
  TargetView
} from '../../tokens';
import { holdsAttempt } from '../../notebook/acceptedSource';
import { resolveOptions } from '../../notebook/options/cellOptions';
import { wholeSource } from '../../notebook/structure/ownChecks';
import { FrameBatcher } from './frames';
import { marksOf } from './cells/marks';
import { createParts, type ManagerParts } from './parts';
import type { ManagerPorts } from './ports';
import { plannedTarget, type PlannedTarget } from './target/plannedTarget';
import type { FollowedTarget } from './target/targetFollower';
import type { NotebookSession } from './session/session';
import { runningSessions } from './session/runningSessions';
import { assembleView } from './view';

export class ShownState {
  constructor(
    private readonly ports: ManagerPorts,
    private readonly onChange: () => void
  ) {
    this.parts = createParts(ports, {
      onChange: () => this.frames.request(),
      onSession: panel => this.onSession(panel),
      notify: (notice, tone) => this.notify(notice, tone)
    });
    this.parts.follower.changed.connect(this.onTarget, this);
    this.onTarget();
  }

  readonly parts: ManagerParts;
  /** Why nothing could start; null: nothing to show. */
  notice: string | null = null;

  get view(): RefineView {
    return (this._view ??= this.assemble());
  }

  get sessions(): readonly RunningSession[] {
    const { sessions, driver } = this.parts;
    return sessions.open.flatMap(panel =>
      runningSessions(
        panel,
        sessions.running(panel) ?? sessions.latest(panel),
        driver.waiting(panel),
        this.ports.trans
      )
    );
  }

  get isDisposed(): boolean {
    return this.frames.isDisposed;
  }

  dispose(): void {
    this.frames.dispose();
    this.parts.sessions.flush();
    this.parts.sessions.dispose();
    this.parts.probe.dispose();
    this.parts.follower.dispose();
    Signal.clearData(this);
  }

  /** Renew the view now. */
  flushNow(): void {
    this.frames.flushNow();
  }

  /** The target to work on; null, with a notice, when there is none. */
  planned(start?: RefineStart): PlannedTarget | null {
    const { tracker, trans } = this.ports;
    this.notice = null;
    const found = plannedTarget(this.parts.follower, tracker, trans, start);
    if ('refused' in found) {
      this.notify(found.refused);
      return null;
    }
    return found;
  }

  /** Of the cell that the panel shows. */
  get session(): NotebookSession | null {
    const followed = this.parts.follower.current;
    return followed
      ? this.parts.sessions.find(followed.panel, followed.view.cellId)
      : null;
  }

  notify(notice: string | null, tone: NoticeTone = 'problem'): void {
    this.notice = notice;
    this.noticeTone = tone;
    this.frames.request();
  }

  private onTarget(): void {
    const panel = this.parts.follower.current?.panel;
    if (panel) {
      this.parts.probe.follow(panel);
    }
    this.frames.request();
  }

  private onSession(panel: NotebookPanel): void {
    this.changedPanels.add(panel);
    this.frames.request();
  }

  private publish(): void {
    for (const panel of this.changedPanels) {
      this.ports.decorations?.mark(
        panel,
        marksOf(
          this.parts.sessions.latest(panel),
          this.sessions.filter(({ path }) => path === panel.context.path),
          this.ports.trans
        )
      );
    }
    this.changedPanels.clear();
    this._view = null;
    this.onChange();
  }

  private assemble(): RefineView {
    const followed = this.parts.follower.current;
    return assembleView({
      target: followed && {
        ...this.withEvaluators(followed),
        edited: this.isEdited(followed)
      },
      models: this.parts.catalog.setup,
      isolation: this.parts.probe.of(followed?.panel ?? null),
      session: this.session,
      waiting: this.sessions.filter(
        ({ path, waitsFor }) =>
          waitsFor !== null && path === followed?.view.path
      ),
      history: this.parts.history.view,
      notice: this.notice,
      noticeTone: this.noticeTone
    });
  }

  /** True when the notebook no longer holds what the running session was sent. */
  private isEdited({ plan }: FollowedTarget): boolean {
    const { request = null, attempts = [] } = this.session?.state ?? {};
    if (!plan || !request || !this.session?.isRunning) {
      return false;
    }
    const source = wholeSource(plan.target);
    return (
      (plan.prompt !== '' && plan.prompt !== request.prompt) ||
      (source !== wholeSource(request.target) &&
        !attempts.some(({ code }) => holdsAttempt(request, code, source)))
    );
  }

  private withEvaluators({ view, plan }: FollowedTarget): TargetView {
    const { evaluators } = plan
      ? resolveOptions(this.parts.settings.options, plan.cellOptions).options
      : { evaluators: [] };
    const { extensions } = this.ports;
    const added = evaluators.filter(name => extensions.evaluators.has(name));
    return added.length > 0 ? { ...view, evaluators: added } : view;
  }

  private readonly frames = new FrameBatcher(() => this.publish());
  private readonly changedPanels = new Set<NotebookPanel>();
  private noticeTone: NoticeTone = 'problem';
  private _view: RefineView | null = null;
}
