/** What is written of a target after its session: a pass, run for real where that is harmless or allowed, or the best that did not pass. */
import { systemClock } from '../../../core/clock';
import type {
  AcceptanceStatus,
  EventBody,
  RefineEvent
} from '../../../core/events/events';
import { keepable, type CleanResult } from '../../../core/domain/outcome';
import { english } from '../../../core/text/english';
import type { Target } from '../../../core/domain/request';
import { FreshKernel } from '../../../kernel';
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
import { problemOf, type TargetResult } from '../../report/results';
import { errorText, onOneLine } from '../../report/screen';
import type { KernelHost } from '../kernelHost';
import type { NotebookPorts, FinishedSession } from '../place';
import { bestAttempt } from './targetResult';

/** A notebook in a kernel while its targets are refined: what was accepted, and where it came from. */
export class NotebookEdits {
  constructor(
    public notebook: NotebookContent,
    private readonly _kernel: KernelHost,
    private readonly _ports: NotebookPorts
  ) {
    this.cells = cellsFromNotebook(notebook);
    this._fresh = new FreshKernel({
      start: () => _kernel.fresh(),
      keyVariables: _ports.keyVariables
    });
  }

  /** A cell that was not edited stays the same object. */
  cells: readonly NotebookCell[];

  end(): Promise<void> {
    return this._fresh.end();
  }

  /** What follows a session goes into its event file, too. */
  private _report({ request }: FinishedSession, body: EventBody): void {
    this._ports.onEvent({
      ...body,
      at: systemClock.now(),
      session: request.session
    } as RefineEvent);
  }

  /** The result, with what was done with the cell. */
  async finish(
    target: Target,
    session: FinishedSession,
    before: TargetResult
  ): Promise<TargetResult> {
    const { outcome, request, state } = session;
    const result = await this._repeated(session, before);
    if (result.status === 'passed' && outcome.best!.attempt > 0) {
      return this._accept(target, session, result);
    }
    if (result.accepted === 'unchanged') {
      this._reportAcceptance(session, 'unchanged');
    }
    this._kernel.tolerate(target.cellId);
    const best = keepable(outcome);
    if (!best || request.options.keepBest !== 'always') {
      return result;
    }
    // What did not pass is marked as such, and not run for real.
    if (!isHarmless(bestAttempt(state)?.execution ?? null)) {
      this._kernel.leaveOut(target.cellId);
    }
    const notRun = request.target.kind === 'code' ? ' It was not run.' : '';
    this._ports.progress.warn(
      `  Kept: attempt ${best.attempt}, which did not pass.${notRun}`
    );
    return this._inserted(target, session, result);
  }

  /** A pass that is repeated in a fresh kernel, where the settings say so. */
  private async _repeated(
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { request, outcome } = session;
    const { progress, signal } = this._ports;
    if (!outcome.passed || !request.options.confirmClean) {
      return result;
    }
    progress.status('starting a fresh kernel');
    let clean: CleanResult | null;
    try {
      clean = await this._fresh.check(
        {
          request,
          candidate: outcome.best!.candidate,
          cells: this._kernel.cellsToRepeat(request.target, this.cells),
          trans: english,
          onPlan: text => progress.note(`  ${text}`),
          onCell: label => progress.status(`running ${label} in a fresh kernel`)
        },
        signal
      );
    } catch (error) {
      // The pass still holds, and was paid for: it is only not repeated.
      const why = signal.aborted ? 'stopped.' : problemOf(error).message;
      progress.warn(`  Not repeated in a fresh kernel: ${why}`);
      return result;
    }
    progress.status('');
    if (clean === null) {
      return result;
    }
    const { attempt } = outcome.best!;
    this._report(session, { type: 'fresh-kernel', attempt, result: clean });
    const { passed, message } = clean;
    return passed
      ? { ...result, clean }
      : { ...result, clean, status: 'failed', accepted: null, message };
  }

  private async _accept(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { signal, progress } = this._ports;
    const inserted = () => this._inserted(target, session, result);
    if (target.kind !== 'code') {
      return inserted();
    }
    const doubts = doubtsOf(session);
    if (doubts.length > 0) {
      this._kernel.leaveOut(target.cellId);
      progress.warn(
        `  Not run: ${doubts.join(' ')} Run the cell yourself if you want that.`
      );
      return inserted();
    }
    if (session.request.options.onPass !== 'auto') {
      // A later target that builds on it may run it in this kernel.
      this._kernel.tolerate(target.cellId);
      return inserted();
    }
    progress.status('running the accepted cell');
    const edits: CellEdit[] = [];
    let failure: string | null;
    try {
      failure = await this._run(session, edits);
    } catch (error) {
      if (!signal.aborted) {
        throw error;
      }
      progress.warn('  Stopped: the attempt is kept. It was not run.');
      return inserted();
    }
    edits.forEach(edit => this._kernel.markRun(edit.cellId));
    this._reportAcceptance(session, failure === null ? 'ran' : 'failed');
    if (failure !== null) {
      const message = `the attempt passed, but the cell failed in the notebook: ${failure}`;
      return { ...result, status: 'failed', message };
    }
    this._apply(edits);
    this._record(target, session, result);
    return { ...result, accepted: 'ran' };
  }

  /** Adds what the kernel gives for the target and its assertion cells; what the first one that fails raises. */
  private async _run(
    { request, outcome }: FinishedSession,
    edits: CellEdit[]
  ): Promise<string | null> {
    const { cellId } = request.target;
    const source = acceptedSource(request, outcome.best!.candidate);
    const checks = request.assertions.filter(check => check.cellId !== cellId);
    for (const cell of [{ cellId, source }, ...checks]) {
      const { outputs, executionCount, error } = await this._kernel.run(
        cell.source,
        this._ports.signal
      );
      const written = cell.cellId === cellId ? { source } : {};
      edits.push({
        cellId: cell.cellId,
        ...written,
        outputs,
        execution_count: executionCount
      });
      if (error) {
        return errorText(error);
      }
    }
    return null;
  }

  private _reportAcceptance(
    session: FinishedSession,
    status: AcceptanceStatus
  ): void {
    const { attempt } = session.outcome.best!;
    this._report(session, { type: 'acceptance', attempt, status });
  }

  /** Written without being run. */
  private _inserted(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): TargetResult {
    this._reportAcceptance(session, 'inserted');
    const { request, outcome } = session;
    this._apply([
      {
        cellId: target.cellId,
        source: acceptedSource(request, outcome.best!.candidate),
        outputs: [],
        execution_count: null
      }
    ]);
    this._record(target, session, result);
    return { ...result, accepted: 'inserted' };
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
    { clean }: TargetResult
  ): void {
    const result = provenance({
      request,
      outcome,
      accepted: outcome.best!,
      isolation: state.isolation!,
      model: state.model,
      version: this._ports.version,
      now: systemClock.now(),
      confirmed: outcome.confirmed,
      clean: clean?.passed
    });
    const { cells } = this;
    const { source } = cellAt(cells, target.index);
    const { language } = this._kernel;
    const plan = planTarget(cells, { ...target, source }, language);
    // So that JupyterLab does not refine a `%%refine` cell again that was refined here.
    const asked =
      plan.promptOrigin === 'magic' ? { fingerprint: fingerprint(plan) } : {};
    this._apply([{ cellId: target.cellId, refine: { result, ...asked } }]);
  }

  /** For repeats of a pass, one for all targets. */
  private readonly _fresh: FreshKernel;
}

/** Why a pass is not run for real: a sentence each. */
function doubtsOf({ request, state }: FinishedSession): readonly string[] {
  const execution = bestAttempt(state)?.execution ?? null;
  // The kernel here is the command's own, and an attempt that could write or
  // reach out for real has done so already.
  const live = request.options.isolation === 'live';
  const allowed = { live, files: true, network: true };
  const { doubts } = decideOnPass('auto', execution, english, allowed);
  return doubts.map(onOneLine);
}
