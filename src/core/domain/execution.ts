/**
 * What running a candidate gave. Plain data; produced by executors, read by
 * evaluators, feedback, panel and command line.
 */

/** How far an attempt is kept from the user's live kernel and machine. */
export type Isolation = {
  /** `fork` a copy-on-write child; `sidecar` another kernel; `live` the user's kernel itself. */
  readonly mode: 'fork' | 'sidecar' | 'live';
  /** True where an attempt cannot change the kernel's objects. */
  readonly memory: boolean;
  /** `overlay` writes vanish; `denied` writes fail; `open` writes are real. */
  readonly files: 'overlay' | 'denied' | 'open';
  /** True where an attempt cannot reach the network. */
  readonly network: boolean;
  /** Plain sentences: why a capability is missing. */
  readonly reasons: readonly string[];
  /** With `sidecar`: the variables that the other kernel has copies of, once it is known which are needed. */
  readonly copies?: readonly string[];
};

/** A raised error, as the kernel reported it. */
export type ExecutionError = {
  /** `KeyError` */
  readonly name: string;
  readonly message: string;
  /** Plain text without ANSI codes, cut in the middle beyond 12,000 characters. */
  readonly traceback: string;
  /** Line in the candidate where it was raised, from 1, if it was raised there. */
  readonly candidateLine?: number;
  /** Locals of the innermost user frame; bounded, secrets redacted. */
  readonly locals?: readonly LocalVariable[];
  /** Where it passed through more than one frame of the user's code: these, outermost first, at most 10. */
  readonly frames?: readonly ErrorFrame[];
};

/** A frame of a traceback with its variables. */
export type ErrorFrame = {
  /** `<module>` outside of functions. */
  readonly function: string;
  /** Whose code it is: the attempt's, a check's, or that of an earlier cell. */
  readonly where: 'candidate' | 'check' | 'cell';
  /** Line in that code, from 1. */
  readonly line: number;
  /** Bounded, secrets redacted. */
  readonly locals: readonly LocalVariable[];
};

export type LocalVariable = {
  readonly name: string;
  readonly type: string;
  readonly shape?: string;
  readonly repr?: string;
};

/** One side of a failed comparison. */
export type ObservedValue = {
  /** The expression as written: `len(monthly)`. */
  readonly expression: string;
  readonly type: string;
  readonly repr: string;
  readonly shape?: string;
  readonly dtype?: string;
};

export type AssertionOutcome = 'passed' | 'failed' | 'error' | 'not-run';

/** The result of one checking statement, or of a test that it ran; of a hold-out its place and the outcome of all hold-outs. */
export type AssertionResult = {
  /**
   * `cellId:line`, with `.` and the name for a test that a framework ran; stable
   * between attempts as long as the check cell is.
   */
  readonly id: string;
  readonly cellId: string;
  readonly role: 'assertion' | 'holdout';
  /** Line in its cell, from 1. */
  readonly line: number;
  /** Source of the statement, cut beyond 2,000 characters; of a test its name. */
  readonly source: string;
  readonly outcome: AssertionOutcome;
  readonly durationMs: number;
  /** For a failed comparison: `==`, `in`, `is` … */
  readonly operator?: string;
  readonly expected?: ObservedValue;
  readonly observed?: ObservedValue;
  /** Further recorded operands: the arguments of a call, the parts of an `and`. */
  readonly operands?: readonly ObservedValue[];
  /** What differs, in words: `no rows for 2024-04, 2024-09`, or a text diff for long values. */
  readonly difference?: string;
  readonly error?: ExecutionError;
  /**
   * Of a check that passed: whether a process that never ran the candidate saw
   * it hold. Absent where there is no such process.
   */
  readonly confirmed?: boolean;
  /** Why it is not confirmed: a clause without its full stop. */
  readonly unconfirmed?: string;
  /** It also holds where all that the candidate defines is empty, so it says nothing about the code. */
  readonly holdsEmpty?: boolean;
};

/** What was found in a candidate's source without running it. */
export type StaticFinding = {
  /** Line in the candidate, from 1. */
  readonly line: number;
  /** Column in that line, from 1. */
  readonly column?: number;
  /** `syntax`, `undefined-name`, or the code of the tool that found it: `F401`. */
  readonly code: string;
  readonly message: string;
  /** `error` for what cannot run: syntax and undefined names. */
  readonly severity: 'error' | 'warning';
};

/** What the scorer cell measured. */
export type ScorerResult = {
  /** Finite; null when the scorer gave none, see `error`. */
  readonly value: number | null;
  readonly goal: 'min' | 'max';
  /** `rmse`, from the cell; `score` where it has none. */
  readonly name: string;
  readonly unit?: string;
  /** What the scorer says of it beside the value. */
  readonly comment?: string;
  readonly error?: ExecutionError;
  /** Why it can measure nothing, whatever the candidate is: as a sentence without its full stop. */
  readonly broken?: string;
  /** Whether it was measured in a process that never ran the candidate; absent where there is none. */
  readonly confirmed?: boolean;
  /** Why it is not confirmed: a clause without its full stop. */
  readonly unconfirmed?: string;
};

/** A rich output of the candidate, in the first form that can be shown; data of a candidate, never to be trusted. */
export type DisplayData = {
  readonly mime: string;
  readonly data: string;
  /** The same as plain text, where it has that, too; the beginning. */
  readonly text?: string;
  /** Its size where it was not kept, characters: `data` is empty then. */
  readonly leftOut?: number;
};

/** The first outputs that fit into so many characters; of the others, their sizes. */
export function withinLimit(
  displays: readonly DisplayData[],
  limit: number
): readonly DisplayData[] {
  let room = limit;
  return displays.map(display => {
    const { data } = display;
    if (data.length > room) {
      return { ...display, data: '', leftOut: data.length };
    }
    room -= data.length;
    return display;
  });
}

/** What an execution holds that reported nothing. */
export const NOTHING_REPORTED = {
  assertions: [],
  stdout: '',
  stderr: '',
  displays: [],
  filesWritten: [],
  denied: [],
  tampering: [],
  warnings: [],
  durationMs: 0
} as const;

/** Why an execution did not reach its end by itself. */
export type ExecutionStop =
  | 'timeout'
  | 'memory'
  | 'output'
  | 'cpu'
  | 'processes'
  /** A file, or all files together, became too large. */
  | 'files'
  | 'crashed'
  /** What runs the candidate failed, not the candidate. */
  | 'harness'
  | 'stopped'
  | 'interrupted'
  | 'kernel-died'
  | 'kernel-restarted';

/** The call at the top level of a cell that raised its error. */
export type FailedCall = {
  /** As written: `json.loads(text)`. */
  readonly source: string;
  /** Last part of the function's name: `loads`. */
  readonly name: string;
};

/** What was seen while a candidate ran that is to fix an error. */
export type RepairReport = {
  /**
   * Whether the function of the call that failed has returned once, or a new call
   * that takes the same variables or constants; absent: no call failed.
   */
  readonly callRan?: boolean;
  /** The call that failed has returned something, with the same arguments. */
  readonly sameCallRan?: boolean;
  /** A literal of what that same call gave, where there is a short one. */
  readonly value?: string;
  /** Code that does nothing with it caught the same error. */
  readonly silenced: boolean;
  /**
   * What may be honest and may hide the error: the call that failed is behind a
   * condition or in a `try` and has not returned (`skipped`), or the same error
   * was caught by code that does something with it (`handled`).
   */
  readonly unclear?: 'skipped' | 'handled';
  /** Names that the cell defined and the candidate does not. */
  readonly missing: readonly string[];
  /** Of a candidate that raised: the call that did. */
  readonly call?: FailedCall;
};

/** Everything but the results of hold-outs comes from the candidate and the visible checks. */
export type Execution = {
  readonly id: string;
  /**
   * `completed`: everything ran to its end, whatever the assertions said.
   * `error`: the candidate raised (assertions were not run).
   * `cut`: ended from outside, see `stop`.
   */
  readonly status: 'completed' | 'error' | 'cut';
  readonly stop?: ExecutionStop;
  /** One sentence with the numbers: `timeout: limit 2 s, used 2.0 s, busy in line 3`. */
  readonly stopMessage?: string;
  /** Python stack at the cut, plain text. */
  readonly stack?: string;
  /** What the candidate itself raised. */
  readonly error?: ExecutionError;
  readonly assertions: readonly AssertionResult[];
  /** Absent: there were no static checks. A gated candidate has the error `StaticError`. */
  readonly findings?: readonly StaticFinding[];
  /** Absent: no error is to be fixed, or nothing could watch the candidate. */
  readonly repair?: RepairReport;
  /** Absent: there is no scorer, or the checks before it did not all hold. */
  readonly scored?: ScorerResult;
  /** Combined text the candidate and the checks printed; bounded. */
  readonly stdout: string;
  readonly stderr: string;
  readonly displays: readonly DisplayData[];
  readonly isolation: Isolation;
  /** Files it wrote, as far as known (kept in the overlay, or denied). */
  readonly filesWritten: readonly string[];
  /** What was denied, in words: `tried to reach example.org:443`. */
  readonly denied: readonly string[];
  /** Reasons to distrust a pass, in words; non-empty means never `pass`. */
  readonly tampering: readonly string[];
  readonly warnings: readonly string[];
  /** Wall time of candidate and checks in the kernel, ms. */
  readonly durationMs: number;
  /** Wall time of the confirmation after them, ms; absent where there was none. */
  readonly confirmMs?: number;
  /** Wall time seen by the caller, ms; the difference is the overhead. */
  readonly totalMs: number;
};

/** True when the candidate was not run for what was found in its source (the static evaluator). */
export function isGated({
  error,
  findings
}: Pick<Execution, 'error' | 'findings'>): boolean {
  return error?.name === 'StaticError' && findings !== undefined;
}

/** True when something other than the candidate ended it, so that nothing can be said of the candidate. */
export function saysNothing({ stop }: Execution): boolean {
  return (
    stop === 'harness' ||
    stop === 'kernel-died' ||
    stop === 'kernel-restarted' ||
    stop === 'stopped' ||
    stop === 'interrupted'
  );
}

/** k of n over the given role; n counts every statement known, run or not. */
export function countPassed(
  assertions: readonly Pick<AssertionResult, 'role' | 'outcome'>[],
  role?: 'assertion' | 'holdout'
): { readonly passed: number; readonly total: number } {
  const chosen = role ? assertions.filter(a => a.role === role) : assertions;
  return {
    passed: chosen.filter(a => a.outcome === 'passed').length,
    total: chosen.length
  };
}

/** Those that ran and did not hold, in order. */
export function failedAssertions<T extends Pick<AssertionResult, 'outcome'>>({
  assertions
}: {
  readonly assertions: readonly T[];
}): readonly T[] {
  return assertions.filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'error'
  );
}
