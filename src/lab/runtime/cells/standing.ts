/** How the cells of a session stand in the notebook since it ended: what ran last there counts, not the attempt. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { SessionState } from '../../../core/events/state';
import { acceptedSource } from '../../../notebook/acceptedSource';
import type { AcceptState, NotebookStanding } from '../../../tokens';
import { failureIn } from './failureIn';
import { findCell } from './notebookEdits';
import { cellLabel } from '../words';

/** `failed`: when the cell ran last. `edited`: since it was checked, and it has not run. */
type CellStanding =
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'edited' };

export type StandingPorts = {
  readonly panel: NotebookPanel;
  readonly trans: TranslationBundle;
  readonly session: () => SessionState | null;
  readonly accepted: () => AcceptState | null;
  readonly watchCells: CellWatcher;
  readonly onChange: () => void;
};

/** A cell that has run in the notebook. */
export type CellRun = { readonly cellId: string; readonly success: boolean };

/** Calls back when a cell of the notebook has run, and with null when something was edited; returns what stops it. */
export type CellWatcher = (
  listener: (run: CellRun | null) => void
) => () => void;

/** What a cell and the target held when the cell ran last, and the name of the error it ended with. */
type Run = {
  readonly source: string;
  readonly target: string | null;
  readonly error: string | null;
};

export class SessionStanding {
  constructor(private readonly ports: StandingPorts) {
    this.unwatch = ports.watchCells(run =>
      run ? this.onRun(run) : this.onEdit()
    );
  }

  dispose(): void {
    this.unwatch();
  }

  /** Something else is written to the target: what ran before no longer counts. */
  forget(): void {
    this.runs.clear();
  }

  /** True when the cell has run since something was written to the target. */
  hasRun(cellId: string): boolean {
    return this.runs.has(cellId);
  }

  /** Null: it stands as it was checked. */
  private of(cellId: string): CellStanding | null {
    const source = this.source(cellId);
    const checked = this.checkedSource(cellId);
    if (source === null || checked === null || !this.isWritten) {
      return null;
    }
    const run = this.runs.get(cellId);
    if (run?.error && run.source === source) {
      return { status: 'failed', error: run.error };
    }
    const held = run?.source === source && run.target === this.targetSource;
    return !held && (source !== checked || this.isTargetEdited)
      ? { status: 'edited' }
      : null;
  }

  /** For the headline: the first cell that failed, else one that was edited; null: all stands as it was checked. */
  get view(): NotebookStanding | null {
    const { panel, trans, session } = this.ports;
    const request = session()?.request;
    if (panel.isDisposed || !request || !this.isWritten) {
      return null;
    }
    const cells = [...(panel.content.model?.cells ?? [])];
    const { cellId: target } = request.target;
    const found = [
      target,
      ...[...request.assertions, ...request.holdouts].map(c => c.cellId)
    ].map(id => ({ id, standing: this.of(id) }));
    for (const { id, standing } of found) {
      if (standing?.status === 'failed') {
        const label = cellLabel(cells, id, trans);
        const { error } = standing;
        return {
          status: 'failed',
          message: trans.__('but %1 failed in the notebook: %2', label, error)
        };
      }
    }
    const edited = found.find(({ standing }) => standing?.status === 'edited');
    const label = cellLabel(
      cells,
      this.isTargetEdited ? target : (edited?.id ?? ''),
      trans
    );
    return edited
      ? {
          status: 'edited',
          message: trans.__('but %1 was edited since', label)
        }
      : null;
  }

  private onRun({ cellId, success }: CellRun): void {
    if (this.checkedSource(cellId) === null) {
      return;
    }
    const error = this.errorOf(cellId);
    if (success || error !== null) {
      const source = this.source(cellId) ?? '';
      this.runs.set(cellId, { source, target: this.targetSource, error });
    } else {
      // A cell before it failed: it was not run.
      this.runs.delete(cellId);
    }
    this.ports.onChange();
  }

  private onEdit(): void {
    const key = JSON.stringify([this.view, this.ports.accepted()]);
    if (key !== this.key) {
      this.key = key;
      this.ports.onChange();
    }
  }

  /** An attempt is in the notebook. */
  private get isWritten(): boolean {
    const state = this.ports.accepted();
    return state !== null && state.status !== 'restored';
  }

  private get targetSource(): string | null {
    return this.source(this.ports.session()?.request?.target.cellId ?? '');
  }

  private get isTargetEdited(): boolean {
    const id = this.ports.session()?.request?.target.cellId ?? '';
    return this.targetSource !== this.checkedSource(id);
  }

  /** What was checked: of the target the accepted attempt, of a check its source in the request. */
  private checkedSource(cellId: string): string | null {
    const { session, accepted } = this.ports;
    const { request, attempts } = session() ?? {};
    if (cellId === request?.target.cellId) {
      const number = accepted()?.attempt;
      const attempt = attempts?.find(a => a.attempt === number);
      return attempt ? acceptedSource(request, attempt.code) : null;
    }
    const checks = [
      ...(request?.assertions ?? []),
      ...(request?.holdouts ?? [])
    ];
    return checks.find(check => check.cellId === cellId)?.source ?? null;
  }

  private source(cellId: string): string | null {
    const { panel } = this.ports;
    const cell = panel.isDisposed
      ? null
      : findCell(panel.content.model, cellId);
    return cell?.sharedModel.getSource() ?? null;
  }

  /** Name of the error that the cell shows. */
  private errorOf(cellId: string): string | null {
    const { panel } = this.ports;
    return panel.isDisposed
      ? null
      : (failureIn(panel.content.model, [cellId])?.error ?? null);
  }

  private readonly unwatch: () => void;
  private readonly runs = new Map<string, Run>();
  private key = '';
}
