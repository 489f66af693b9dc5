/** The sessions of all open notebooks: at most one running in each, the last one of every target kept. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { parseEvents } from '../../../core/events/journal';
import { NotebookSession, type SessionPorts } from './session';
import { journalKey } from './journal';

type OfNotebook = {
  readonly byTarget: Map<string, NotebookSession>;
  /** The one started last. */
  latest: NotebookSession | null;
};

export class NotebookSessions {
  /**
   * @param portsOf what a session of a notebook needs.
   * @param onChange called when anything about a session changed.
   */
  constructor(
    private readonly portsOf: (panel: NotebookPanel) => SessionPorts,
    private readonly onChange: () => void
  ) {}

  running(panel: NotebookPanel): NotebookSession | null {
    const all = [...this.of(panel).byTarget.values()];
    return all.find(session => session.isRunning) ?? null;
  }

  /** Id of the cell whose session a reload cut off; null: none was. */
  interrupted(panel: NotebookPanel): string | null {
    const { latest } = this.of(panel);
    return latest?.interrupted ? latest.cellId : null;
  }

  /** The session of a target, ended or not. */
  find(panel: NotebookPanel, cellId: string): NotebookSession | null {
    return this.of(panel).byTarget.get(cellId) ?? null;
  }

  /** The session whose marks the notebook wears. */
  latest(panel: NotebookPanel): NotebookSession | null {
    return this.of(panel).latest;
  }

  /** A new session of a target; of an ended one of the same target the answers in words stay. */
  create(panel: NotebookPanel, cellId: string): NotebookSession {
    const earlier = this.find(panel, cellId)?.explanations.answered ?? [];
    const session = new NotebookSession(cellId, this.portsOf(panel));
    session.explanations.recall(earlier);
    return this.add(panel, session);
  }

  /** That of a target, for its explanations: made where there is none, without marks in the notebook. */
  ofTarget(panel: NotebookPanel, cellId: string): NotebookSession {
    const { latest } = this.of(panel);
    const session = this.find(panel, cellId) ?? this.create(panel, cellId);
    if (latest) {
      this.of(panel).latest = latest;
    }
    return session;
  }

  /** An ended session continues: the notebook wears its marks. */
  resume(session: NotebookSession): void {
    this.of(session.panel).latest = session;
  }

  /** Write all journals now. */
  flush(): void {
    for (const { latest } of this.notebooks.values()) {
      latest?.flush();
    }
  }

  /** Stop every session. */
  dispose(): void {
    for (const { byTarget } of this.notebooks.values()) {
      byTarget.forEach(session => session.dispose());
    }
    this.notebooks.clear();
  }

  /** The notebook's sessions; the first look brings back what a reload interrupted. */
  private of(panel: NotebookPanel): OfNotebook {
    const known = this.notebooks.get(panel);
    if (known) {
      return known;
    }
    const made = { byTarget: new Map(), latest: null };
    if (!panel.isDisposed) {
      this.notebooks.set(panel, made);
      panel.disposed.connect(() => this.notebooks.delete(panel));
      this.bringBack(panel);
    }
    return made;
  }

  private bringBack(panel: NotebookPanel): void {
    const ports = this.portsOf(panel);
    const key = journalKey(panel.context.path);
    const text = ports.tab.get(key);
    if (!text) {
      return;
    }
    try {
      const events = parseEvents(text);
      const start = events.find(event => event.type === 'session-start');
      if (start?.type === 'session-start') {
        this.add(
          panel,
          new NotebookSession(start.request.target.cellId, ports, events)
        );
      }
    } catch {
      // Written by another version, or cut: nothing that could be shown.
      ports.tab.set(key, '');
    }
  }

  private add(panel: NotebookPanel, session: NotebookSession): NotebookSession {
    const known = this.of(panel);
    known.byTarget.get(session.cellId)?.dispose();
    known.byTarget.set(session.cellId, session);
    known.latest = session;
    session.changed.connect(this.onChange);
    return session;
  }

  private readonly notebooks = new Map<NotebookPanel, OfNotebook>();
}
