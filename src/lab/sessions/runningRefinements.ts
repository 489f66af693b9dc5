/** The list of sessions that JupyterLab's panel of what is running shows. */
import { PathExt } from '@jupyterlab/coreutils';
import type { IRunningSessions } from '@jupyterlab/running';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal, type ISignal } from '@lumino/signaling';
import type { IRefineManager, RunningSession } from '../../tokens';
import { refineIcon } from '../icons';

/** What runs and what waits, in all notebooks of this page. */
export class RunningRefinements implements IRunningSessions.IManager {
  /** @param open show a session in its notebook. */
  constructor(
    private readonly manager: IRefineManager,
    private readonly open: (session: RunningSession) => void,
    private readonly trans: TranslationBundle
  ) {
    this.name = trans.__('Refine sessions');
    this.shutdownLabel = trans.__('Stop');
    this.shutdownAllLabel = trans.__('Stop All');
    this.shutdownAllConfirmationText = trans.__(
      'Stop all Refine sessions? Their attempts are kept.'
    );
    let shown = '';
    // The view changes with every word of an answer; the list does not.
    manager.viewChanged.connect(() => {
      const now = JSON.stringify(manager.sessions);
      if (now !== shown) {
        shown = now;
        this._runningChanged.emit();
      }
    });
  }

  readonly name: string;
  readonly shutdownLabel: string;
  readonly shutdownAllLabel: string;
  readonly shutdownAllConfirmationText: string;

  get runningChanged(): ISignal<this, void> {
    return this._runningChanged;
  }

  running(): IRunningSessions.IRunningItem[] {
    return this.manager.sessions.map(session => this.item(session));
  }

  refreshRunning(): void {
    this._runningChanged.emit();
  }

  shutdownAll(): void {
    // What waits first: it would start when the one before it ends.
    for (const session of [...this.manager.sessions].reverse()) {
      this.manager.stopSession(session);
    }
  }

  private item(session: RunningSession): IRunningSessions.IRunningItem {
    const { trans } = this;
    const { path, label, waitsFor } = session;
    return {
      open: () => this.open(session),
      shutdown: () => this.manager.stopSession(session),
      icon: () => refineIcon,
      label: () => trans.__('%1 of %2', label, PathExt.basename(path)),
      labelTitle: () => path,
      detail: () =>
        waitsFor === null
          ? trans.__('running')
          : trans.__('waits for %1', waitsFor)
    };
  }

  private readonly _runningChanged = new Signal<this, void>(this);
}
