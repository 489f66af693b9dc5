/**
 * The one stream that panel, command line, journal and tests fold. Every event
 * is JSON: a recorded file of them folds to the same state.
 */
import type { Dispute } from '../domain/checks/dispute';
import type {
  AssertionResult,
  Execution,
  Isolation
} from '../domain/execution';
import type { Explanation } from '../domain/explanation';
import type { ModelCall, ModelIdentity, Usage } from '../domain/model';
import type { CleanResult, Outcome } from '../domain/outcome';
import type { RefineRequest, RequestChecks } from '../domain/request';
import type { Verdict } from '../domain/verdict';

type EventBase<Type extends string, Fields = object> = {
  readonly type: Type;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly session: string;
} & Readonly<Fields>;

export const CALL_PURPOSES = ['candidate', 'judge', 'summary'] as const;

export type CallPurpose = (typeof CALL_PURPOSES)[number];

export const ACCEPTANCE_STATUSES = [
  /** The cell held it already. */
  'unchanged',
  /** Written to its cell, not run. */
  'inserted',
  /** Written to its cell and run. */
  'ran',
  /** It failed when it was run for real. */
  'failed',
  /** The cell has the code from before the session again. */
  'restored'
] as const;

export type AcceptanceStatus = (typeof ACCEPTANCE_STATUSES)[number];

/** What the session waits for, besides model and kernel working. */
export type WaitFor = 'human' | 'permission' | 'edit' | 'kernel' | 'model';

/** Why a model is waited for. */
export type ModelWait =
  /** It has sent nothing for so long, ms. */
  | {
      readonly type: 'silence';
      readonly host: string;
      readonly model: string;
      readonly ms: number;
    }
  /** It has read so many tokens of the prompt, of so many. */
  | { readonly type: 'reading'; readonly tokens: number; readonly of: number }
  /** A call failed and is made again after so long, ms. */
  | { readonly type: 'retry'; readonly reason: string; readonly ms: number };

export type RefineEvent =
  | EventBase<
      'session-start',
      {
        request: RefineRequest;
        model: ModelIdentity | null;
        isolation: Isolation;
      }
    >
  /** The user edited the checks: passes so far do not count, what follows is checked by these. */
  | EventBase<'checks-changed', { checks: RequestChecks }>
  | EventBase<
      'attempt-start',
      {
        attempt: number;
        /** The exact messages; empty for attempt 0, and for code that the user wrote. */
        prompt: readonly { role: string; content: string }[];
        /** Set when the user wrote its code: the attempt whose code was edited. */
        editedFrom?: number;
      }
    >
  | EventBase<
      'candidate-delta',
      {
        attempt: number;
        /** Both are what to append; `reset` voids all earlier deltas of this attempt (a retry). */
        thoughts: string;
        code: string;
        reset?: boolean;
        /** A later code block superseded the earlier one: `code` starts again. */
        resetCode?: boolean;
      }
    >
  | EventBase<
      'candidate-end',
      { attempt: number; thoughts: string; code: string; title: string }
    >
  | EventBase<
      'execution-start',
      {
        attempt: number;
        /** Started when the code block closed, before the answer ended. */
        provisional: boolean;
      }
    >
  | EventBase<
      'execution-output',
      { attempt: number; stream: 'stdout' | 'stderr'; text: string }
    >
  | EventBase<'assertion-end', { attempt: number; result: AssertionResult }>
  | EventBase<'execution-end', { attempt: number; execution: Execution }>
  | EventBase<'verdict-end', { attempt: number; verdict: Verdict }>
  | EventBase<
      'feedback-end',
      { attempt: number; strategy: string; text: string }
    >
  | EventBase<
      'attempt-end',
      {
        attempt: number;
        verdict: Verdict;
        usage: Usage;
        durationMs: number;
        best: boolean;
        /** Set when the attempt had no candidate to run, with the reason. */
        failure?: { code: string; message: string };
      }
    >
  | EventBase<'dispute', { attempt: number; dispute: Dispute }>
  | EventBase<
      'model-call',
      ModelCall & {
        /** 0: drafts, or what the cell held at the start. */
        attempt: number;
        /** What the model was asked for. Of a candidate, `attempt-start` has the prompt. */
        purpose: CallPurpose;
      }
    >
  | EventBase<
      'usage',
      {
        attempt: number;
        /** Of this one call. */
        usage: Usage;
        /** Of the session so far. */
        total: Usage;
      }
    >
  | EventBase<
      'wait-start',
      {
        for: WaitFor;
        reason: string;
        /** Of a model: what the reason is made of. */
        model?: ModelWait;
      }
    >
  | EventBase<'wait-end', { for: WaitFor }>
  | EventBase<'repeat', { attempt: number; of: number }>
  | EventBase<'restart', { attempt: number; reason: string }>
  | EventBase<'hint', { text: string }>
  /** The user chose the attempt that the next ones refine. */
  | EventBase<'base', { attempt: number }>
  | EventBase<'pause', { paused: boolean }>
  | EventBase<
      'permission',
      {
        subject: 'live' | 'network' | 'writes' | 'continue' | 'execute';
        granted: boolean;
      }
    >
  | EventBase<'tamper', { attempt: number; message: string }>
  | EventBase<
      'warning',
      {
        attempt?: number;
        message: string;
        /** The checking statement it is about. */
        check?: { cellId: string; line: number };
      }
    >
  | EventBase<'session-end', { outcome: Outcome }>
  /** After the end: the candidate of an attempt was repeated in a fresh kernel. */
  | EventBase<'fresh-kernel', { attempt: number; result: CleanResult }>
  /** After the end: a question of the user that a model answered in words. */
  | EventBase<'explanation', Explanation>
  /** After the end: what became of an attempt in the notebook. */
  | EventBase<
      'acceptance',
      {
        attempt: number;
        status: AcceptanceStatus;
        /** What was written, where it is not the whole candidate. */
        source?: string;
      }
    >;
