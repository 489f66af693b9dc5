/** What is written of a target after its session: a pass, run for real where that is harmless or allowed, or the best that did not pass. */
import { systemClock } from '../../../core/clock';
import type {
  AcceptanceStatus,
  EventBody,
  RefineEvent
} from '../../../core/events/events';
import { keepable, type BestAttempt } from '../../../core/domain/outcome';
import { english } from '../../../core/text/english';
import type { Target } from '../../../core/domain/request';
import {
  acceptedSource,
  applyOutcome,
  cellAt,
  cellsFromNotebook,
  decideOnPass,
  fingerprint,
  isHarmless,
  planTarget,
  provenance,
  type CellEdit,
  type NotebookCell,
  type NotebookContent
} from '../../../notebook';
import type { TargetResult } from '../../report/results';
import { errorText, onOneLine } from '../../report/screen';
import type { KernelHost } from '../kernelHost';
import type { NotebookPorts, FinishedSession } from '../place';
import { bestAttempt } from './targetResult';

/** A notebook while its targets are refined: what was accepted, and where it came from. */
export class NotebookEdits {
  constructor(
    public notebook: NotebookContent,
    /** The kernel's, which decides what the cells are. */
    private readonly _language: string,
    private readonly _ports: NotebookPorts
  ) {
    this.cells = cellsFromNotebook(notebook);
  }

  /** A cell that was not edited stays the same object. */
  cells: readonly NotebookCell[];

  /** What did not pass is written where `--keep-best` asks for it: marked as such, and not run for real. */
  keepBest(
    kernel: KernelHost,
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): TargetResult {
    const { outcome, request, state } = session;
    const best = keepable(outcome);
    if (best === null || request.options.keepBest !== 'always') {
      return result;
    }
    if (!isHarmless(bestAttempt(state, outcome)?.execution ?? null)) {
      kernel.leaveOut(target.cellId);
    }
    this._insert(target, session, best);
    const notRun = request.target.kind === 'code' ? ' It was not run.' : '';
    this._ports.progress.warn(
      `  Kept: attempt ${best.attempt}, which did not pass.${notRun}`
    );
    return { ...result, accepted: 'inserted' };
  }

  async accept(
    kernel: KernelHost,
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { signal, progress } = this._ports;
    const best = session.outcome.best!;
    const clean = result.clean?.passed;
    const inserted = () => {
      this._insert(target, session, best, clean);
      return { ...result, accepted: 'inserted' as const };
    };
    if (target.kind !== 'code') {
      return inserted();
    }
    const doubts = this._doubts(session);
    if (doubts.length > 0) {
      kernel.leaveOut(target.cellId);
      progress.warn(
        `  Not run: ${doubts.join(' ')} Run the cell yourself if you want that.`
      );
      return inserted();
    }
    progress.status('running the accepted cell');
    let ran: Awaited<ReturnType<typeof this._run>>;
    try {
      ran = await this._run(kernel, session);
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      progress.warn('  Stopped: the attempt is kept. It was not run.');
      return inserted();
    }
    ran.edits.forEach(edit => kernel.markRun(edit.cellId));
    if (ran.failure !== null) {
      this.reportAcceptance(session, 'failed');
      const message = `the attempt passed, but the cell failed in the notebook: ${ran.failure}`;
      return { ...result, status: 'failed', message };
    }
    this.reportAcceptance(session, 'ran');
    this._apply(ran.edits);
    this._record(target, session, best, clean);
    return { ...result, accepted: 'ran' };
  }

  /** Why a pass is not run for real: a sentence each. */
  private _doubts({
    request,
    state,
    outcome
  }: FinishedSession): readonly string[] {
    const execution = bestAttempt(state, outcome)?.execution ?? null;
    // The kernel here is the command's own, and an attempt that could write or
    // reach out for real has done so already.
    const live = request.options.isolation === 'live';
    const allowed = { live, files: true, network: true };
    const decision = decideOnPass('auto', execution, english, allowed);
    return decision.action === 'ask' ? decision.doubts.map(onOneLine) : [];
  }

  /** What the kernel gives for the target and its assertion cells, and what the first one that fails raises. */
  private async _run(
    kernel: KernelHost,
    { request, outcome }: FinishedSession
  ): Promise<{
    readonly edits: readonly CellEdit[];
    readonly failure: string | null;
  }> {
    const { cellId } = request.target;
    const source = acceptedSource(request, outcome.best!.candidate);
    const edits: CellEdit[] = [];
    const cells = [
      { cellId, source, run: source },
      ...request.assertions
        .filter(check => check.cellId !== cellId)
        .map(check => ({ cellId: check.cellId, run: check.source }))
    ];
    for (const { run, ...edit } of cells) {
      const { outputs, executionCount, error } = await kernel.run(
        run,
        this._ports.signal
      );
      edits.push({ ...edit, outputs, executionCount });
      if (error) {
        return { edits, failure: errorText(error) };
      }
    }
    return { edits, failure: null };
  }

  /** What follows a session goes into its event file, too. */
  report({ request }: FinishedSession, body: EventBody): void {
    this._ports.onEvent({
      ...body,
      at: systemClock.now(),
      session: request.session
    } as RefineEvent);
  }

  reportAcceptance(session: FinishedSession, status: AcceptanceStatus): void {
    const { attempt } = session.outcome.best!;
    this.report(session, { type: 'acceptance', attempt, status });
  }

  /** Written without being run. */
  private _insert(
    target: Target,
    session: FinishedSession,
    best: BestAttempt,
    clean?: boolean
  ): void {
    this.reportAcceptance(session, 'inserted');
    const { request, outcome } = session;
    this._apply([
      {
        cellId: target.cellId,
        source: acceptedSource(request, outcome.best!.candidate),
        outputs: [],
        executionCount: null
      }
    ]);
    this._record(target, session, best, clean);
  }

  private _apply(edits: readonly CellEdit[]): void {
    const { notebook: before, cells } = this;
    this.notebook = applyOutcome(before, edits);
    this.cells = cellsFromNotebook(this.notebook).map((cell, at) =>
      this.notebook.cells[at] === before.cells[at] ? cells[at]! : cell
    );
  }

  /** The cell remembers what wrote it. */
  private _record(
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
      version: this._ports.version,
      now: systemClock.now(),
      confirmed: outcome.confirmed,
      clean
    });
    const { cells } = this;
    const { source } = cellAt(cells, target.index);
    const plan = planTarget(cells, { ...target, source }, this._language);
    // So that JupyterLab does not refine a `%%refine` cell again that was refined here.
    const asked =
      plan.promptOrigin === 'magic' ? { fingerprint: fingerprint(plan) } : {};
    this._apply([{ cellId: target.cellId, refine: { result, ...asked } }]);
  }
}
