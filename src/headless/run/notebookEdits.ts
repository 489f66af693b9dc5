/** A notebook while its targets are refined: what was accepted, where it came from, and drafted assertions. */
import { systemClock } from '../../core/clock';
import { DRAFTED_CELL } from '../../core/drafts/drafts';
import type { BestAttempt } from '../../core/domain/outcome';
import type { Target } from '../../core/domain/request';
import {
  acceptedSource,
  applyOutcome,
  cellAt,
  cellsFromNotebook,
  fingerprint,
  planTarget,
  provenance,
  type CellEdit,
  type NotebookCell,
  type NotebookContent
} from '../../notebook';
import type { FinishedSession } from './place';

export class NotebookEdits {
  constructor(
    private _notebook: NotebookContent,
    private readonly _version: string
  ) {
    this._read = _notebook;
    this._cells = cellsFromNotebook(_notebook);
  }

  /** The kernel's language, which decides what the cells are. */
  language = 'python';

  /** A cell that was not edited stays the same object. */
  get cells(): readonly NotebookCell[] {
    if (this._read !== this._notebook) {
      const before = this._cells;
      const { cells: old } = this._read;
      const now = cellsFromNotebook(this._notebook).map((cell, index) =>
        this._notebook.cells[index] === old[index]
          ? (before[index] ?? cell)
          : cell
      );
      this._cells = now;
      this._read = this._notebook;
    }
    return this._cells;
  }

  /** The notebook with all of it. */
  get notebook(): NotebookContent {
    return this._notebook;
  }

  /** The best attempt of the session, without outputs: it was not run for real. */
  insert(target: Target, { request, outcome }: FinishedSession): void {
    this.apply([
      {
        cellId: target.cellId,
        source: acceptedSource(request, outcome.best!.candidate),
        outputs: [],
        executionCount: null
      }
    ]);
  }

  apply(edits: readonly CellEdit[]): void {
    this._notebook = applyOutcome(
      this._notebook,
      // Drafts are in no cell yet.
      edits.filter(({ cellId }) => cellId !== DRAFTED_CELL)
    );
  }

  /** The cell remembers what wrote it. */
  record(
    target: Target,
    { request, outcome, state }: FinishedSession,
    accepted: BestAttempt,
    clean?: boolean
  ): void {
    const result = provenance({
      request,
      outcome,
      accepted,
      isolation: state.isolation!,
      model: state.model,
      version: this._version,
      now: systemClock.now(),
      confirmed: outcome.confirmed,
      clean
    });
    const refine = { result, ...this._fingerprint(target) };
    this.apply([{ cellId: target.cellId, refine }]);
  }

  /** So that JupyterLab does not refine a `%%refine` cell again that was refined here. */
  private _fingerprint(target: Target): object {
    const { cells, language } = this;
    const { source } = cellAt(cells, target.index);
    const plan = planTarget(cells, { ...target, source }, language);
    return plan.promptOrigin === 'magic'
      ? { fingerprint: fingerprint(plan) }
      : {};
  }

  /** Put in at the end: positions of cells hold until then. */
  /** The notebook that `_cells` was read from. */
  private _read: NotebookContent;
  private _cells: readonly NotebookCell[];
}
