/** What the attempts of one session may do beyond the settings, allowed by the user after a denial. */
import { linkedController } from '../abort';
import { after } from '../../clock';
import type { Denial, RefineDeps } from '../../deps';
import { held, subjectOf, type DeniedSubject } from '../../domain/denied';
import type { Execution } from '../../domain/execution';
import type { ExecutionJob } from '../../domain/executor';
import type { Session } from '../session';

/** How long a question about a denial waits for an answer, ms. */
export const PERMIT_MS = 5 * 60 * 1000;

export class Permits {
  /** @param permit asks the user; none: what is denied stays denied. */
  constructor(
    private readonly _session: Session,
    private readonly _permit: RefineDeps['permit']
  ) {}

  /** The job, as far open as the user allows. */
  opened<Job extends Pick<ExecutionJob, 'allowNetwork' | 'allowWrites'>>(
    job: Job
  ): Job {
    return {
      ...job,
      allowNetwork: job.allowNetwork || this._granted.has('network'),
      allowWrites: job.allowWrites || this._granted.has('writes')
    };
  }

  /**
   * Ask about what was denied to an attempt that did not hold, once in a session
   * for each subject. True when it is to run again.
   */
  async askAfter(attempt: number, execution: Execution): Promise<boolean> {
    if (!this._permit || held(execution)) {
      return false;
    }
    let again = false;
    for (const denial of execution.denied) {
      const subject = subjectOf(denial);
      if (subject && !this._asked.has(subject)) {
        this._asked.add(subject);
        again = (await this._ask(attempt, subject, denial)) || again;
      }
    }
    return again;
  }

  /** Without a question: the user has allowed it where the denial is shown. */
  grant(subject: DeniedSubject): void {
    this._asked.add(subject);
    this._granted.add(subject);
    this._session.emit({ type: 'permission', subject, granted: true });
  }

  private async _ask(
    attempt: number,
    subject: DeniedSubject,
    denial: string
  ): Promise<boolean> {
    let granted = false;
    try {
      granted = await this._session.waitFor(
        'permission',
        `Attempt ${attempt} ${denial}.`,
        this._answer({ attempt, subject, denial })
      );
    } catch (error) {
      this._session.questionFailed(error, attempt);
    }
    if (granted) {
      this._granted.add(subject);
    }
    this._session.emit({ type: 'permission', subject, granted });
    return granted;
  }

  /** No answer in time is a no, and is reported. */
  private async _answer(denial: Omit<Denial, 'until'>): Promise<boolean> {
    const { clock, scope } = this._session;
    const { controller, unlink } = linkedController(scope.signal);
    let expire = () => {};
    const expired = new Promise<false>(resolve => {
      expire = () => resolve(false);
    });
    const cancel = after(clock, PERMIT_MS, () => {
      this._session.warn(
        `No answer within ${PERMIT_MS / 60000} minutes. It stays blocked.`,
        denial.attempt
      );
      controller.abort();
      expire();
    });
    try {
      return await Promise.race([
        this._permit!(
          { ...denial, until: clock.now() + PERMIT_MS },
          controller.signal
        ),
        expired
      ]);
    } finally {
      cancel();
      unlink();
    }
  }

  private readonly _asked = new Set<DeniedSubject>();
  private readonly _granted = new Set<DeniedSubject>();
}
