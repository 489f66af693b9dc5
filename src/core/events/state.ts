/** A session as folded from its events: what views show and the command line reports. */
import type { Dispute } from '../domain/outcome';
import type {
  AssertionResult,
  Execution,
  Isolation
} from '../domain/execution';
import type { Explanation } from '../events/events';
import type { AcceptanceStatus, WaitFor } from './events';
import type { ModelIdentity, Usage } from '../domain/model';
import type { Outcome } from '../domain/outcome';
import type { RefineRequest } from '../domain/request';
import type { Verdict } from '../domain/verdict';

export type AttemptPhase = 'writing' | 'running' | 'judging' | 'ended';

export type AttemptState = {
  /** 0 is what the cell held at the start. */
  readonly attempt: number;
  readonly phase: AttemptPhase;
  /** The exact messages that were sent. */
  readonly prompt: readonly {
    readonly role: string;
    readonly content: string;
  }[];
  /** The model's answer as it came; none for what the cell held. */
  readonly answer?: string;
  readonly thoughts: string;
  readonly code: string;
  /** When the first text of the answer came. */
  readonly writingSince?: number;
  /** Previews until `execution` is there; its assertions then. */
  readonly assertions: readonly AssertionResult[];
  /** Printed text, bounded to the last 20,000 characters. */
  readonly output: string;
  readonly execution: Execution | null;
  readonly verdict: Verdict | null;
  readonly feedback: {
    readonly strategy: string;
    readonly text: string;
  } | null;
  readonly usage: Usage;
  readonly durationMs: number | null;
  readonly best: boolean;
  /** Number of the earlier attempt this one repeats. */
  readonly repeatOf: number | null;
  readonly failure: { readonly code: string; readonly message: string } | null;
  /** Set when the user wrote its code: the attempt whose code was edited. */
  readonly editedFrom?: number;
  /** An objection in its answer. */
  readonly dispute?: Dispute;
  /** Hints of the user that its prompt was the first to hold. */
  readonly hints?: readonly string[];
};

export type SessionPhase =
  | 'starting'
  | 'checking'
  | 'writing'
  | 'running'
  | 'judging'
  | 'waiting'
  | 'ended';

export type SessionState = {
  readonly session: string;
  readonly request: RefineRequest | null;
  readonly model: ModelIdentity | null;
  readonly isolation: Isolation | null;
  readonly phase: SessionPhase;
  readonly waiting: {
    readonly for: WaitFor;
    readonly reason: string;
  } | null;
  readonly paused: boolean;
  /** In order of number; attempt 0 first if there was one. */
  readonly attempts: readonly AttemptState[];
  /** Number of the last attempt before the session went on: the limits of its request count from there. */
  readonly attemptsBefore?: number;
  /** Number of the best attempt so far. */
  readonly best: number | null;
  readonly usage: Usage;
  readonly warnings: readonly {
    readonly attempt?: number;
    readonly message: string;
  }[];
  readonly hints: readonly string[];
  /** The attempt that those after number `after` refine, chosen by the user. */
  readonly base?: { readonly attempt: number; readonly after: number };
  /** Attempts that were fresh starts, without the history before them. */
  readonly restarts?: readonly number[];
  /** What was asked and answered in words after the end. */
  readonly explanations?: readonly Explanation[];
  /** Milliseconds since the epoch; moved on by the time between an end and what went on from it. */
  readonly startedAt: number;
  /** Time of its last event; events after the end (a restored cell, a question) do not count. */
  readonly lastAt: number;
  readonly outcome: Outcome | null;
  /** What was last done with an attempt after the end. */
  readonly acceptance?: {
    readonly attempt: number;
    readonly status: AcceptanceStatus;
    /** What was written, where it is not the whole candidate. */
    readonly source?: string;
  };
};
