/** What is written of a target after its session: a pass, an unverified pass, or the best that did not pass. */
import { systemClock } from '../../../core/clock';
import type {
  AcceptanceStatus,
  RefineEvent
} from '../../../core/events/events';
import { keepable, type BestAttempt } from '../../../core/domain/outcome';
import type { Target } from '../../../core/domain/request';
import type { EventBody } from '../../../core/session/session';
import { isHarmless } from '../../../notebook';
import type { IQuestions } from '../../cli/questions';
import type { IEventSink } from '../../files/eventFile';
import type { Progress } from '../../report/progress';
import type { TargetResult } from '../../report/results';
import type { ICellRunner } from '../../server/liveKernel';
import { accept } from './acceptance';
import type { CellsAbove } from '../cellsAbove';
import type { NotebookEdits } from '../notebookEdits';
import { bestAttempt, type FinishedSession } from './targetRun';

export type CellWritingPorts = {
  readonly edits: NotebookEdits;
  readonly above: CellsAbove;
  readonly kernel: ICellRunner;
  readonly progress: Progress;
  readonly events: IEventSink;
  readonly questions: IQuestions;
  readonly signal: AbortSignal;
};

export class CellWriting {
  constructor(private readonly _ports: CellWritingPorts) {}

  /** What did not pass is written where `--keep-best` asks for it: marked as such, and not run for real. */
  keepBest(
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
      this._ports.above.leaveOut(target.cellId);
    }
    const kept = this.keep(target, session, result);
    this._record(target, session, best);
    const notRun = request.target.kind === 'code' ? ' It was not run.' : '';
    this._ports.progress.warn(
      `  Kept: attempt ${best.attempt}, which did not pass.${notRun}`
    );
    return kept;
  }

  /** What holds by its drafts alone is written, labelled, and not run for real. */
  keep(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): TargetResult {
    this.reportAcceptance(session, 'inserted');
    this._ports.edits.insert(target, session);
    return { ...result, accepted: 'inserted' };
  }

  async accept(
    target: Target,
    session: FinishedSession,
    result: TargetResult
  ): Promise<TargetResult> {
    const { request, outcome, state } = session;
    const { candidate } = outcome.best!;
    const { questions, signal, progress } = this._ports;
    progress.status('running the accepted cell');
    const acceptance = await accept({
      request,
      candidate,
      execution: bestAttempt(state, outcome)?.execution ?? null,
      kernel: this._ports.kernel,
      questions,
      signal
    }).catch((error: unknown) => {
      if (signal.aborted) {
        return null;
      }
      throw error;
    });
    if (acceptance === null) {
      progress.warn('  Stopped: the attempt is kept. It was not run.');
      const kept = this.keep(target, session, result);
      this._record(target, session, outcome.best!, result.clean?.passed);
      return kept;
    }
    if (acceptance.accepted === 'ran') {
      acceptance.edits.forEach(edit => this._ports.above.markRun(edit.cellId));
    } else if (acceptance.mayRunLater) {
      this._ports.above.tolerate(target.cellId);
    } else {
      this._ports.above.leaveOut(target.cellId);
    }
    this.reportAcceptance(
      session,
      acceptance.failure === null ? acceptance.accepted : 'failed'
    );
    if (acceptance.failure !== null) {
      return { ...result, status: 'failed', message: acceptance.failure };
    }
    if (acceptance.notRun !== null) {
      progress.warn(`  Not run: ${acceptance.notRun}`);
    }
    this._ports.edits.apply(acceptance.edits);
    this._record(target, session, outcome.best!, result.clean?.passed);
    return { ...result, accepted: acceptance.accepted };
  }

  /** What follows a session goes into its event file, too. */
  report({ request }: FinishedSession, body: EventBody): void {
    this._ports.events.write({
      ...body,
      at: systemClock.now(),
      session: request.session
    } as RefineEvent);
  }

  reportAcceptance(session: FinishedSession, status: AcceptanceStatus): void {
    const { attempt } = session.outcome.best!;
    this.report(session, { type: 'acceptance', attempt, status });
  }

  private _record(
    target: Target,
    session: FinishedSession,
    accepted: BestAttempt,
    clean?: boolean
  ): void {
    this._ports.edits.record(target, session, accepted, clean);
  }
}
