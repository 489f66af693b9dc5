/** The course of one attempt, from its candidate to its end. */
import { repeatOf, type AttemptContext } from './context';
import { isBetter } from '../events/best';
import { KEPT, leftOutText } from '../parse/leftOut';
import { isOpenEnded } from '../domain/checks/checks';
import { condense } from './condense';
import { evaluate } from '../evaluators/evaluate';
import { isRejected } from '../evaluators/human';
import type { Dispute, Objection } from '../domain/checks/dispute';
import { ruleOn, rulingText } from '../events/disputes';
import {
  type Execution,
  NOTHING_REPORTED,
  type ExecutionError,
  type Isolation
} from '../domain/execution';
import { buildFeedback } from '../feedback/feedback';
import { sourceToRun } from '../domain/response';
import { CandidateRuns } from './running';
import {
  describeError,
  SessionStop,
  stopAfterKernel
} from '../session/session';
import type { AttemptState } from '../events/state';
import { thoughtTitle } from '../events/title';
import type { Verdict } from '../domain/verdict';
import { visibleAttempt, visibleRequest } from '../domain/visible';
import type { Written } from './writing';
import { cutLine } from '../text/cut';

type Failure = { readonly code: string; readonly message: string };

/** Of a candidate that the user read and did not let run. */
const DECLINED = 'declined';

/** Runs one attempt from its candidate to its end, and emits its events. */
export class AttemptRun {
  constructor(
    private _context: AttemptContext,
    private readonly _number: number,
    /** The attempt whose code the user edited, or allowed what was denied to it; none: a model writes. */
    private readonly _byUser?: number | 'allowed'
  ) {
    const { session, request, executor, permits } = _context;
    this._started = session.clock.now();
    this._runs = new CandidateRuns(
      session,
      request,
      executor,
      permits,
      _number
    );
  }

  async run(
    prompt: readonly { role: string; content: string }[],
    write: (runs: CandidateRuns) => Promise<Written>
  ): Promise<void> {
    const { session } = this._context;
    session.emit({
      type: 'attempt-start',
      attempt: this._number,
      prompt,
      ...(typeof this._byUser === 'number' ? { editedFrom: this._byUser } : {})
    });
    try {
      const written = await write(this._runs);
      await this._conclude(written);
      if (written.broken && !this._passed) {
        throw written.broken;
      }
    } catch (error) {
      this._endCut(error);
      throw error;
    } finally {
      this._context.times.kernelMs += this._runs.kernelMs;
    }
  }

  private async _conclude(written: Written): Promise<void> {
    const { session } = this._context;
    const attempt = this._number;
    const { thoughts, code, failure } = written;
    session.emit({
      type: 'candidate-end',
      attempt,
      thoughts,
      code,
      title: thoughtTitle(thoughts)
    });
    this._written = written;
    if (written.kept) {
      const names = written.kept.join(', ');
      session.warn(`${KEPT}${names}.`, attempt);
    }
    if (failure) {
      await this._noCandidate(failure, written.dispute);
      return;
    }
    await this._followChecks();
    const repeated =
      this._byUser === 'allowed'
        ? null
        : repeatOf(this._context, attempt, code);
    if (repeated) {
      await this._repeat(repeated);
      this._stopWhereDisputed();
      return;
    }
    const { approve } = this._context;
    const isOwn = attempt === 0 || this._byUser !== undefined;
    if (!isOwn && approve && !(await approve(attempt, code))) {
      await this._notRun({
        code: DECLINED,
        message: 'Not run: you declined it.'
      });
      return;
    }
    let execution: Execution | null;
    let verdict: Verdict;
    do {
      const { request, evaluators } = this._context;
      const source = sourceToRun(request, code);
      execution = source === null ? null : await this._execute(source);
      verdict = await evaluate(session, evaluators, {
        request,
        attempt,
        candidate: code,
        execution
      });
    } while (
      (verdict.evaluation === 'pass' || !this._context.checked) &&
      (await this._followChecks())
    );
    await this._feedback(verdict, undefined);
    this._end(verdict);
    if (execution) {
      stopWithKernel(execution);
    }
    if (isRejected(verdict)) {
      throw new SessionStop('rejected');
    }
    this._stopWhereDisputed();
  }

  /** There is no result: what its failure says is all that is known. */
  private async _notRun(failure: Failure): Promise<void> {
    const verdict = noCandidate(failure.message);
    await this._feedback(verdict, failure);
    this._end(verdict, failure);
  }

  /** An answer without code: an objection to a check ends the session, where it is one for the user. */
  private async _noCandidate(
    failure: Failure,
    objection: Objection | undefined
  ): Promise<void> {
    const { request, session } = this._context;
    const dispute = objection && this._rule(objection, null);
    const asked = session.state.attempts.some(
      a => a.attempt !== this._number && a.dispute?.ruling === 'unknown'
    );
    if (!dispute || (dispute.ruling === 'unknown' && asked)) {
      await this._notRun(failure);
      return;
    }
    const isOpen = dispute.ruling === 'open';
    const { number, reason } = dispute;
    const message = isOpen
      ? `Objects to check ${number}: ${reason}`
      : rulingText(dispute, request, this._attempts);
    const disputed = { code: 'disputed', message };
    const verdict = noCandidate(message);
    session.emit({ type: 'dispute', attempt: this._number, dispute });
    if (!isOpen) {
      await this._feedback(verdict, disputed);
    }
    this._end(verdict, disputed);
    if (isOpen) {
      throw new SessionStop('disputed');
    }
  }

  /** An objection beside code counts where the code fails at that check alone. */
  private _stopWhereDisputed(): void {
    const { session } = this._context;
    const attempt = this._number;
    const own = session.state.attempts.find(a => a.attempt === attempt);
    const objection = this._written?.dispute;
    if (objection && own?.verdict) {
      const dispute = this._rule(objection, own.verdict);
      session.emit({ type: 'dispute', attempt, dispute });
      if (dispute.ruling === 'open') {
        throw new SessionStop('disputed');
      }
    }
  }

  /** Attempts against the checks as they are now. */
  private get _attempts() {
    const { session, firstAttempt } = this._context;
    return session.state.attempts.filter(a => a.attempt >= firstAttempt);
  }

  private _rule(objection: Objection, verdict: Verdict | null): Dispute {
    return ruleOn(objection, this._context.request, this._attempts, {
      attempt: this._number,
      verdict
    });
  }

  /** True when the user edited the checks: what runs or ran against the earlier ones is void. */
  private async _followChecks(): Promise<boolean> {
    const before = this._context;
    this._context = await before.revisions.follow(before);
    if (this._context === before) {
      return false;
    }
    this._runs.use(this._context.request);
    return true;
  }

  /** The same program gives the same result: it is taken over, nothing is run or judged again. */
  private async _repeat(earlier: AttemptState): Promise<void> {
    const { session } = this._context;
    const attempt = this._number;
    session.scope.check();
    session.emit({ type: 'repeat', attempt, of: earlier.attempt });
    if (earlier.execution) {
      const { execution } = earlier;
      session.emit({ type: 'execution-end', attempt, execution });
    }
    const verdict = earlier.verdict!;
    session.emit({ type: 'verdict-end', attempt, verdict });
    await this._feedback(verdict, undefined);
    this._end(verdict);
  }

  private async _execute(source: string): Promise<Execution> {
    const { session, permits } = this._context;
    const attempt = this._number;
    let execution = await this._ran(
      async () => this._recorded() ?? (await this._runs.result(source))
    );
    while (await permits.askAfter(attempt, execution)) {
      execution = await this._ran(() => this._runs.result(source));
    }
    for (const message of execution.tampering) {
      session.emit({ type: 'tamper', attempt, message });
    }
    for (const message of execution.warnings) {
      session.warn(message, attempt);
    }
    const empty = execution.assertions.filter(({ holdsEmpty }) => holdsEmpty);
    if (empty[0]) {
      const { cellId, line } = empty[0];
      const names = empty.map(({ source }) => `\`${cutLine(source, 100)}\``);
      session.emit({
        type: 'warning',
        attempt,
        message: `Holds for an empty cell as well, so it says nothing about the code: ${names.join(', ')}`,
        check: { cellId, line }
      });
    }
    session.scope.check();
    return execution;
  }

  private async _ran(run: () => Promise<Execution>): Promise<Execution> {
    const { session } = this._context;
    let execution: Execution;
    try {
      execution = await run();
    } catch (error) {
      session.scope.check();
      throw stopAfterKernel(error);
    }
    session.emit({ type: 'execution-end', attempt: this._number, execution });
    return execution;
  }

  /** Attempt 0 of an error to fix: what the notebook shows of it. */
  private _recorded(): Execution | null {
    const { session, request } = this._context;
    const { isolation } = session.state;
    const error = request.repair?.error;
    return this._number === 0 && error && isolation
      ? failedExecution(`${request.session}:0`, error, isolation)
      : null;
  }

  /** An attempt that the session's end cut off is reported as ended, too. */
  private _endCut(error: unknown): void {
    if (!this._ended) {
      const stop = error instanceof SessionStop ? error : null;
      const code = stop?.reason ?? 'other';
      const message =
        stop?.error?.message ??
        (code === 'timeout'
          ? 'The session timed out before the attempt finished.'
          : code === 'rejected'
            ? 'Rejected before the attempt finished.'
            : stop
              ? 'Stopped before the attempt finished.'
              : describeError(error).message);
      this._end(cutOff(message), { code, message });
    }
  }

  private _end(verdict: Verdict, failure?: Failure): void {
    const { session } = this._context;
    const attempt = this._number;
    this._ended = true;
    this._passed =
      verdict.evaluation === 'pass' && !isOpenEnded(this._context.request);
    const hasNone = this._written?.failure || failure?.code === DECLINED;
    const candidate = hasNone ? '' : this._written?.code;
    const hasCandidate =
      candidate !== undefined &&
      (attempt === 0 ? !this._context.request.followUp : candidate !== '');
    const state = session.state;
    const bestSoFar = state.attempts.find(a => a.attempt === state.best);
    const best =
      hasCandidate &&
      isBetter(
        verdict,
        bestSoFar?.verdict ?? null,
        this._context.request.options.workflow === 'self-refine'
      );
    const own = session.state.attempts.find(a => a.attempt === attempt)!;
    session.emit({
      type: 'attempt-end',
      attempt,
      verdict,
      usage: own.usage,
      durationMs: session.clock.now() - this._started,
      best,
      ...(failure ? { failure } : {})
    });
  }

  /** What the next prompt says of this attempt; nothing of one that ends the session. */
  private async _feedback(
    verdict: Verdict,
    failure: Failure | undefined
  ): Promise<void> {
    const { session, request, condenser, lastAttempt } = this._context;
    const attempt = this._number;
    if (verdict.evaluation === 'pass' && !isOpenEnded(request)) {
      return;
    }
    const { attempts } = session.state;
    const own = attempts.find(a => a.attempt === attempt)!;
    const {
      strategy,
      text: said,
      error
    } = buildFeedback(this._context.feedback, {
      request: visibleRequest(request),
      attempt: visibleAttempt({ ...own, verdict, failure: failure ?? null }),
      earlier: attempts.filter(a => a.attempt < attempt).map(visibleAttempt)
    });
    if (error) {
      session.warn(error, attempt);
    }
    const left = leftOutText(request, own.code, this._written?.kept);
    const text = [said, left].filter(part => part !== '').join('\n\n');
    if (text !== '') {
      const condensed =
        request.options.feedback === 'summary' &&
        condenser &&
        !failure &&
        attempt < lastAttempt
          ? await condense(session, condenser, attempt, text)
          : null;
      session.emit({
        type: 'feedback-end',
        attempt,
        strategy,
        text: condensed ?? text
      });
    }
  }

  private readonly _runs: CandidateRuns;
  private readonly _started: number;
  private _written: Written | null = null;
  private _ended = false;
  private _passed = false;
}

/** Of an attempt that nothing could be run of. */
function noCandidate(message: string): Verdict {
  return {
    evaluator: 'none',
    evaluation: 'fail',
    score: null,
    reasons: [message]
  };
}

function cutOff(message: string): Verdict {
  return {
    evaluator: 'none',
    evaluation: 'unknown',
    score: null,
    reasons: [message]
  };
}

/** The execution of a cell that failed in the notebook, before the session. */
function failedExecution(
  id: string,
  error: ExecutionError,
  isolation: Isolation
): Execution {
  return {
    id,
    status: 'error',
    error,
    ...NOTHING_REPORTED,
    isolation,
    totalMs: 0
  };
}

/** An execution that ended with its kernel, or by the user's hand, ends the session. */
function stopWithKernel(execution: Execution): void {
  const message =
    execution.stopMessage ?? `The kernel ended: ${execution.stop ?? ''}.`;
  if (execution.stop === 'kernel-died') {
    throw new SessionStop('kernel-died', {
      code: 'kernel-dead',
      message,
      kind: 'kernel'
    });
  }
  if (execution.stop === 'kernel-restarted') {
    throw new SessionStop('kernel-restarted', {
      code: 'kernel-restarted',
      message,
      kind: 'kernel'
    });
  }
  if (execution.stop === 'interrupted' || execution.stop === 'stopped') {
    throw new SessionStop('stopped');
  }
}
