/** What the manager shows: the state of all its parts as one view, renewed at most once a frame. */
import { Signal } from '@lumino/signaling';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type {
  NoticeTone,
  RefineStart,
  RefineView,
  TargetView,
  WaitingSession
} from '../../tokens';
import { holdsAttempt } from '../../notebook/acceptedSource';
import { resolveOptions } from '../../notebook/options/cellOptions';
import { wholeSource } from '../../notebook/structure/ownChecks';
import { createParts, type ManagerParts } from './parts';
import type { ManagerPorts } from './ports';
import { plannedTarget, type PlannedTarget } from './target/plannedTarget';
import type { FollowedTarget } from './target/targetFollower';
import type { NotebookSession } from './session/session';
import { cellLabel } from './words';
import type { IDisposable } from '@lumino/disposable';

/** Milliseconds between calls while the page is hidden, where no frame is ever drawn. */
const HIDDEN_MS = 250;

/** Turns many changes into at most one call per animation frame. */
class FrameBatcher implements IDisposable {
  constructor(private readonly flush: () => void) {}

  get isDisposed(): boolean {
    return this.disposed;
  }

  /** Ask for one call with the next frame; asking again before it changes nothing. */
  request(): void {
    if (this.cancel || this.disposed) {
      return;
    }
    const run = () => {
      this.cancel = null;
      this.flush();
    };
    if (document.visibilityState === 'hidden') {
      const timer = setTimeout(run, HIDDEN_MS);
      this.cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      this.cancel = () => cancelAnimationFrame(frame);
    }
  }

  /** Call now, and not again for what was asked before. */
  flushNow(): void {
    this.cancel?.();
    this.cancel = null;
    if (!this.disposed) {
      this.flush();
    }
  }

  dispose(): void {
    this.cancel?.();
    this.cancel = null;
    this.disposed = true;
  }

  private cancel: (() => void) | null = null;
  private disposed = false;
}

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
      const { cellId = null } = this.parts.sessions.running(panel) ?? {};
      this.ports.decorations?.mark(panel, cellId);
    }
    this.changedPanels.clear();
    this._view = null;
    this.onChange();
  }

  private assemble(): RefineView {
    const { session, notice, parts } = this;
    const followed = parts.follower.current;
    const target = followed && {
      ...this.withEvaluators(followed),
      edited: this.isEdited(followed)
    };
    return {
      target,
      models: parts.catalog.setup,
      // As probed; a session has its own.
      isolation:
        session?.state?.isolation ?? parts.probe.of(followed?.panel ?? null),
      session: session?.state ?? null,
      waiting: followed ? this.waiting(followed.panel) : [],
      history: parts.history.view,
      question: session?.questions.current ?? null,
      accepted: session?.acceptance.state ?? null,
      standing: session?.standing.view ?? null,
      cleanCheck: session?.clean.state ?? null,
      explanations: session?.explanations.list ?? [],
      interrupted: session?.interrupted ?? false,
      // The target shows a refusal already.
      notice: session?.failure ?? (notice === target?.refused ? null : notice),
      noticeTone: session?.failure ? 'problem' : this.noticeTone
    };
  }

  /** What waits in a notebook, in order; each waits for the one before it. */
  private waiting(panel: NotebookPanel): readonly WaitingSession[] {
    const { sessions, driver } = this.parts;
    const { path } = panel.context;
    const cells = [...(panel.content.model?.cells ?? [])];
    const label = (id = '') => cellLabel(cells, id, this.ports.trans);
    const first = sessions.running(panel) ?? sessions.latest(panel);
    const waiting = driver.waiting(panel);
    return waiting.map((cellId, n) => ({
      path,
      cellId,
      label: label(cellId),
      waitsFor: label(waiting[n - 1] ?? first?.cellId)
    }));
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
