/** How the cells of a session did in the notebook since an attempt was written: a failure there counts, not the attempt. */
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { SessionState } from '../../../core/events/state';
import { isWritten, type AcceptState } from '../../../tokens';
import { failureIn } from './failureIn';
import { findCell } from './notebookEdits';
import { cellLabel } from '../words';

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

/** What a cell held when it ran last, and the name of the error it ended with. */
type Run = { readonly source: string; readonly error: string | null };

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

  /** `but cell 3 failed in the notebook: AssertionError`, until that cell is edited; null: none failed. */
  get failure(): string | null {
    const { panel, trans, accepted } = this.ports;
    const failed = isWritten(accepted())
      ? this.cellIds.find(id => {
          const run = this.runs.get(id);
          return run?.error && run.source === this.source(id);
        })
      : undefined;
    return failed === undefined
      ? null
      : trans.__(
          'but %1 failed in the notebook: %2',
          cellLabel([...(panel.content.model?.cells ?? [])], failed, trans),
          this.runs.get(failed)!.error
        );
  }

  private onRun({ cellId, success }: CellRun): void {
    const source = this.source(cellId);
    if (source === null || !this.cellIds.includes(cellId)) {
      return;
    }
    const { panel, trans } = this.ports;
    const error = failureIn(panel, [cellId], trans)?.error ?? null;
    if (success || error !== null) {
      this.runs.set(cellId, { source, error });
    } else {
      // A cell before it failed: it was not run.
      this.runs.delete(cellId);
    }
    this.ports.onChange();
  }

  private onEdit(): void {
    const key = JSON.stringify([this.failure, this.ports.accepted()]);
    if (key !== this.key) {
      this.key = key;
      this.ports.onChange();
    }
  }

  /** The target and its checks. */
  private get cellIds(): readonly string[] {
    const request = this.ports.session()?.request;
    return request
      ? [request.target, ...request.assertions, ...request.holdouts].map(
          ({ cellId }) => cellId
        )
      : [];
  }

  private source(cellId: string): string | null {
    const { panel } = this.ports;
    const cell = panel.isDisposed
      ? null
      : findCell(panel.content.model, cellId);
    return cell?.sharedModel.getSource() ?? null;
  }

  private readonly unwatch: () => void;
  private readonly runs = new Map<string, Run>();
  private key = '';
}
