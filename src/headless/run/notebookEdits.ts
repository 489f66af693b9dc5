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
  withDraftedAssertions,
  type CellEdit,
  type NotebookCell,
  type NotebookContent
} from '../../notebook';
import type { FinishedSession } from './target/targetRun';

export class NotebookEdits {
  constructor(
    private _notebook: NotebookContent,
    private readonly _version: string
  ) {}

  get cells(): readonly NotebookCell[] {
    return cellsFromNotebook(this._notebook);
  }

  /** The notebook with all of it. */
  get notebook(): NotebookContent {
    return this._drafted.reduce(
      (notebook, { target, source, approved }) =>
        withDraftedAssertions(notebook, target, source, approved),
      this._notebook
    );
  }

  /** Drafted assertions that were used go into the notebook, below their target. */
  addDrafts(target: Target, { request, state }: FinishedSession): void {
    const [drafted] = request.assertions;
    if (state.drafts && drafted) {
      this._drafted.push({
        target: target.cellId,
        source: drafted.source,
        approved: !drafted.unverified
      });
    }
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
    language: string,
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
    const refine = { result, ...this._fingerprint(target, language) };
    this.apply([{ cellId: target.cellId, refine }]);
  }

  /** So that JupyterLab does not refine a `%%refine` cell again that was refined here. */
  private _fingerprint(target: Target, language: string): object {
    const { cells } = this;
    const { source } = cellAt(cells, target.index);
    const plan = planTarget(cells, { ...target, source }, language);
    return plan.promptOrigin === 'magic'
      ? { fingerprint: fingerprint(plan) }
      : {};
  }

  /** Put in at the end: positions of cells hold until then. */
  private readonly _drafted: {
    readonly target: string;
    readonly source: string;
    readonly approved: boolean;
  }[] = [];
}
