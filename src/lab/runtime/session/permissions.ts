/** What a session's attempts may do beyond the settings, granted by the user after a denial. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type { Execution } from '../../../core/domain/execution';
import type { ExecutionJob, IExecutor } from '../../../core/domain/executor';
import type { Questions } from '../questions';
import { translated } from '../../../core/messages/translated';

export type PermissionSubject = 'network' | 'writes';

/** What a denial of `Execution.denied` was about, from how the kernel part words it. */
export function subjectOf(denial: string): PermissionSubject | null {
  return denial.startsWith('tried to reach ')
    ? 'network'
    : denial.startsWith('tried to write ')
      ? 'writes'
      : null;
}

function held(execution: Execution): boolean {
  return (
    execution.status === 'completed' &&
    execution.assertions.every(a => a.outcome === 'passed')
  );
}

export type PermissionPorts = {
  readonly questions: Questions;
  readonly trans: TranslationBundle;
  /** The session's stop: takes open questions away. */
  readonly signal: AbortSignal;
  /** Number of the attempt that runs. */
  readonly attempt: () => number;
  readonly onAnswer: (subject: PermissionSubject, granted: boolean) => void;
};

export class Permissions {
  constructor(private readonly ports: PermissionPorts) {}

  /** The executor with every later run as far opened as the user allows. */
  over(executor: IExecutor): IExecutor {
    return {
      ...(executor.inspectChecks && {
        inspectChecks: (cells, signal) => executor.inspectChecks!(cells, signal)
      }),
      prepare: signal => executor.prepare(signal),
      inspect: (names, values, signal) =>
        executor.inspect(names, values, signal),
      warm: async job => (await executor.warm?.(this.opened(job))) ?? false,
      run: async (job, onProgress, signal) => {
        const execution = await executor.run(
          this.opened(job),
          onProgress,
          signal
        );
        this.askAfter(execution);
        return execution;
      }
    };
  }

  private opened<
    Job extends Pick<ExecutionJob, 'allowNetwork' | 'allowWrites'>
  >(job: Job): Job {
    return {
      ...job,
      allowNetwork: job.allowNetwork || this.granted.has('network'),
      allowWrites: job.allowWrites || this.granted.has('writes')
    };
  }

  /** Once for each subject, and only when the denial may be why the attempt did not hold; nothing waits for the answer. */
  private askAfter(execution: Execution): void {
    if (held(execution)) {
      return;
    }
    for (const denial of execution.denied) {
      const subject = subjectOf(denial);
      if (subject && !this.asked.has(subject)) {
        this.asked.add(subject);
        void this.ask(subject, denial);
      }
    }
  }

  private async ask(subject: PermissionSubject, denial: string): Promise<void> {
    const { questions, trans, signal, attempt, onAnswer } = this.ports;
    const choice = await questions.ask(
      {
        subject,
        title: trans.__('Attempt %1 %2', attempt(), translated(denial, trans)),
        body:
          subject === 'network'
            ? trans.__('Attempts have no network unless you allow it.')
            : trans.__('Attempts write no files there unless you allow it.'),
        choices: [
          { id: 'block', label: trans.__('Keep blocked') },
          { id: 'allow', label: trans.__('Allow for this session') }
        ]
      },
      signal
    );
    if (choice === 'allow') {
      this.granted.add(subject);
    }
    if (choice !== null) {
      onAnswer(subject, choice === 'allow');
    }
  }

  private readonly asked = new Set<PermissionSubject>();
  private readonly granted = new Set<PermissionSubject>();
}
