/** What is written of a target after its session: a pass, run for real where that is harmless or allowed, or the best that did not pass. */
import { systemClock } from '../../../core/clock';
import type {
  AcceptanceStatus,
  RefineEvent
} from '../../../core/events/events';
import { keepable, type BestAttempt } from '../../../core/domain/outcome';
import type { EventBody } from '../../../core/session/session';
import {
  unconfirmedLines,
  unconfirmedSummary
} from '../../../core/text/confirmationWords';
import { english } from '../../../core/text/english';
import type { Execution } from '../../../core/domain/execution';
import type { RefineRequest, Target } from '../../../core/domain/request';
import {
  acceptedSource,
  decideOnPass,
  isHarmless,
  type CellEdit,
  type PassDoubt
} from '../../../notebook';
import type { ICellRunner } from '../../server/liveKernel';
import type { IQuestions } from '../../cli/questions';
import type { TargetResult } from '../../report/results';
import { errorText, printable } from '../../report/text';
import type { CellsAbove } from '../cellsAbove';
import type { NotebookEdits } from '../notebookEdits';
import type { NotebookPorts } from '../ports';
import { bestAttempt, type FinishedSession } from './targetRun';

export type Acceptance = {
  readonly accepted: 'inserted' | 'ran';
  /** What the kernel gave for the target and its assertion cells, where they were run. */
  readonly edits: readonly CellEdit[];
  /** Set when it failed for real although the attempt passed. */
  readonly failure: string | null;
  /** Why it was not run; null when it was, and for prose. */
  readonly notRun: string | null;
  /** It may still run in the command's own kernel, as a later target may build on it. */
  readonly mayRunLater: boolean;
};

export type AcceptanceInput = {
  readonly request: RefineRequest;
  readonly candidate: string;
  /** Of the attempt that passed. */
  readonly execution: Execution | null;
  readonly kernel: ICellRunner;
  readonly questions: IQuestions;
  readonly signal: AbortSignal;
};

export async function accept(input: AcceptanceInput): Promise<Acceptance> {
  const { request, candidate, execution, questions, signal } = input;
  const written = {
    cellId: request.target.cellId,
    source: acceptedSource(request, candidate)
  };
  // The kernel here is the command's own, and an attempt that could write or
  // reach out for real has done so already.
  const allowed = {
    live: request.options.isolation === 'live',
    files: true,
    network: true
  };
  const decision = decideOnPass(request.options.onPass, execution, allowed);
  const doubts =
    decision.action === 'ask' ? decision.doubts.map(doubtText) : [];
  const inserted = (notRun: string | null, mayRunLater = false) => ({
    accepted: 'inserted' as const,
    edits: [{ ...written, outputs: [], executionCount: null }],
    failure: null,
    notRun,
    mayRunLater
  });
  if (request.target.kind !== 'code') {
    return inserted(null);
  }
  if (decision.action === 'insert') {
    return inserted(
      '--on-pass insert.',
      decideOnPass('auto', execution, allowed).action === 'run'
    );
  }
  if (decision.action === 'run') {
    return runForReal(input, written);
  }
  const question = ['The attempt passed.', ...doubts, 'Run it for real now?'];
  if (await questions.yes(question.join(' '), signal)) {
    return runForReal(input, written);
  }
  const reason = questions.canAsk
    ? 'You declined.'
    : 'There is no terminal to ask at.';
  return inserted([...doubts, reason].join(' '));
}

async function runForReal(
  { request, kernel, signal }: AcceptanceInput,
  written: CellEdit & { readonly source: string }
): Promise<Acceptance> {
  const edits: CellEdit[] = [];
  const cells = [
    { ...written, run: written.source },
    ...request.assertions
      .filter(({ cellId }) => cellId !== written.cellId)
      .map(({ cellId, source }) => ({ cellId, run: source }))
  ];
  let failure: string | null = null;
  for (const { run: source, ...edit } of cells) {
    const run = await kernel.run(source, signal);
    edits.push({
      ...edit,
      outputs: run.outputs,
      executionCount: run.executionCount
    });
    if (run.error) {
      failure = `the attempt passed, but the cell failed in the notebook: ${errorText(run.error)}`;
      break;
    }
  }
  return { accepted: 'ran', edits, failure, notRun: null, mayRunLater: false };
}

function doubtText(doubt: PassDoubt): string {
  switch (doubt.type) {
    case 'not-isolated':
      return 'The attempt was not isolated.';
    case 'files-open':
      return 'The attempt could write files.';
    case 'network-open':
      return 'The attempt could reach the network.';
    case 'wrote':
      return `The attempt wrote ${doubt.files.map(printable).join(', ')}${doubt.discarded ? ' (discarded)' : ''}.`;
    case 'denied':
      return `Blocked: the attempt ${doubt.what.map(printable).join('; ')}.`;
    case 'leaves-out':
      return `The answer leaves out ${doubt.names.map(printable).join(', ')}.`;
    case 'not-confirmed':
      return [
        unconfirmedSummary(doubt.confirmation, english),
        ...unconfirmedLines(doubt.confirmation, english)
      ]
        .map(printable)
        .join(' ');
  }
}

export type CellWritingPorts = Pick<
  NotebookPorts,
  'progress' | 'events' | 'questions' | 'signal'
> & {
  readonly edits: NotebookEdits;
  readonly above: CellsAbove;
  readonly kernel: ICellRunner;
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
    this._insert(target, session, best);
    const notRun = request.target.kind === 'code' ? ' It was not run.' : '';
    this._ports.progress.warn(
      `  Kept: attempt ${best.attempt}, which did not pass.${notRun}`
    );
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
      this._insert(target, session, outcome.best!, result.clean?.passed);
      return { ...result, accepted: 'inserted' };
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
    this._ports.edits.record(
      target,
      session,
      outcome.best!,
      result.clean?.passed
    );
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

  /** Written without being run. */
  private _insert(
    target: Target,
    session: FinishedSession,
    best: BestAttempt,
    clean?: boolean
  ): void {
    const { edits } = this._ports;
    this.reportAcceptance(session, 'inserted');
    edits.insert(target, session);
    edits.record(target, session, best, clean);
  }
}
