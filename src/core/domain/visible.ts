/**
 * The visible stage of an attempt: the candidate and the checks that a model may see.
 *
 * Prompts, titles and failure signatures are built from these types alone. Of
 * the hold-outs they have one bit: `holdoutFailed`. A {@link RefineRequest} or
 * an {@link Execution} is not assignable to them, so that a new field of either
 * reaches no prompt by itself.
 */
import {
  saysNothing,
  type AssertionOutcome,
  type AssertionResult,
  type Execution
} from './execution';
import { traitsOf } from './evaluators';
import type { ExecutionJob } from './executor';
import type { RefineRequest } from './request';
import type { AttemptState } from '../events/state';
import type { Metric, Verdict } from './verdict';

export const HOLDOUT_FAILED = 'A held-out check failed.';

/** The same for all hold-outs: the reason itself may come from one. */
const HOLDOUT_UNCONFIRMED =
  'the reason is hidden because it could reveal the hold-out';

/** Used where the original text may come from a hold-out. */
const CHECKS_CHANGED = 'the checks, or what they rely on, were changed';

const REQUEST_SHOWN = [
  'language',
  'target',
  'prompt',
  'promptOrigin',
  'assertions',
  'scorer',
  'part',
  'repair',
  'followUp',
  'context',
  'options'
] as const satisfies readonly (keyof RefineRequest)[];

/** What prompts may say of a request. */
export type VisibleRequest = Pick<
  RefineRequest,
  (typeof REQUEST_SHOWN)[number]
> & { readonly holdouts?: undefined };

export type VisibleAssertion = Omit<
  AssertionResult,
  'role' | 'confirmed' | 'unconfirmed'
> & { readonly role: 'assertion' };

/** While no hold-out has run. */
const EXECUTION_SHOWN = [
  'status',
  'stop',
  'stopMessage',
  'stack',
  'error',
  'stdout',
  'stderr',
  'denied',
  'tampering'
] as const satisfies readonly (keyof Execution)[];

/** What the candidate and the visible checks gave. */
export type VisibleExecution = Pick<
  Execution,
  (typeof EXECUTION_SHOWN)[number] | 'findings'
> & { readonly assertions: readonly VisibleAssertion[] };

/** What may be said of one attempt. */
export type VisibleAttempt = Pick<
  AttemptState,
  'attempt' | 'code' | 'failure'
> & {
  readonly execution: VisibleExecution | null;
  readonly holdoutFailed: boolean;
  /** What evaluators said whose verdicts prompts repeat. */
  readonly verdicts: readonly Verdict[];
  /** All hold-outs together count as one check in it. */
  readonly score: number | null;
  readonly metric?: Metric;
};

/** What a feedback strategy describes. */
export type FeedbackInput = {
  readonly request: VisibleRequest;
  /** The attempt to describe, with execution and verdict where there were any. */
  readonly attempt: VisibleAttempt;
  /** The attempts before it, in order. */
  readonly earlier: readonly VisibleAttempt[];
};

/** Writes what the next prompt says of an attempt; its input has nothing of the hold-outs but one bit. */
export interface IFeedbackStrategy {
  readonly name: string;
  /** Text for the next prompt, within `FEEDBACK_LIMIT` characters. */
  build(input: FeedbackInput): string;
}

export function visibleRequest(request: RefineRequest): VisibleRequest {
  const { context, holdouts } = request;
  const hidden = new Set(holdouts.map(cell => cell.cellId));
  const cells = context.cells.filter(cell => !hidden.has(cell.cellId));
  return { ...pick(request, REQUEST_SHOWN), context: { ...context, cells } };
}

function pick<Whole, Key extends keyof Whole>(
  whole: Whole,
  keys: readonly Key[]
): Pick<Whole, Key> {
  return Object.fromEntries(
    keys.map(key => [key, whole[key]])
  ) as unknown as Pick<Whole, Key>;
}

export function visibleAttempt(state: AttemptState): VisibleAttempt {
  const { attempt, code, failure, execution, verdict } = state;
  const metric = verdict?.metric;
  return {
    attempt,
    code,
    failure,
    execution: execution && visibleExecution(execution),
    holdoutFailed: execution !== null && holdoutFailed(execution),
    verdicts: (verdict?.parts ?? (verdict ? [verdict] : [])).filter(
      part => traitsOf(part.evaluator).inPrompts !== 'none'
    ),
    score: verdict?.score ?? null,
    ...(metric ? { metric } : {})
  };
}

/**
 * Once a hold-out has run, only the results of the visible checks and what was
 * found in the source are left: outputs, denials and errors may come from the
 * hold-out then, whatever the executor promises.
 */
export function visibleExecution(execution: Execution): VisibleExecution {
  const { findings, tampering } = execution;
  const shared = {
    assertions: execution.assertions.flatMap(visibleAssertion),
    ...(findings ? { findings } : {})
  };
  return holdoutsRan(execution)
    ? {
        ...shared,
        status: 'completed',
        stdout: '',
        stderr: '',
        denied: [],
        tampering: tampering.length > 0 ? [CHECKS_CHANGED] : []
      }
    : { ...shared, ...pick(execution, EXECUTION_SHOWN) };
}

/** True when a hold-out ran and the hold-outs do not hold. */
export function holdoutFailed(execution: Execution): boolean {
  return (
    holdoutsRan(execution) &&
    execution.assertions.some(
      a => a.role === 'holdout' && a.outcome !== 'passed'
    )
  );
}

/**
 * The execution as an executor may return it: hold-outs have one result in
 * common and nothing else but their place. One that was cut while a hold-out
 * ran is one whose hold-outs failed; a stop that says nothing of the candidate stays.
 */
export function sealHoldouts(
  { holdouts }: Pick<ExecutionJob, 'holdouts'>,
  execution: Execution
): Execution {
  if (holdouts.length === 0) {
    return execution;
  }
  const cut = wasCutInHoldout(execution);
  const known = execution.assertions.filter(a => a.role === 'holdout');
  const all = (outcome: AssertionOutcome) =>
    known.every(result => result.outcome === outcome);
  // A hold-out that was left out beside others that ran is no pass of all.
  const outcome =
    !cut && all('not-run')
      ? 'not-run'
      : !cut && all('passed')
        ? 'passed'
        : 'failed';
  const confirmed = known.every(result => result.confirmed);
  // Undefined where there is no separate process.
  const isKnown =
    outcome === 'passed' &&
    known.every(result => result.confirmed !== undefined);
  const sealed = {
    role: 'holdout',
    source: '',
    outcome,
    durationMs: 0,
    ...(isKnown ? { confirmed } : {}),
    ...(isKnown && !confirmed ? { unconfirmed: HOLDOUT_UNCONFIRMED } : {})
  } as const;
  const places =
    known.length > 0
      ? known
      : holdouts.map(({ cellId }) => ({
          id: `${cellId}:holdout`,
          cellId,
          line: 1
        }));
  const assertions = [
    ...execution.assertions.filter(a => a.role === 'assertion'),
    ...places.map(({ id, cellId, line }) => ({ id, cellId, line, ...sealed }))
  ];
  return cut && !saysNothing(execution)
    ? {
        ...execution,
        status: 'completed',
        stop: undefined,
        stopMessage: undefined,
        stack: undefined,
        assertions
      }
    : { ...execution, assertions };
}

/** True when candidate and visible checks were done with and a hold-out was running. */
function wasCutInHoldout({ status, assertions }: Execution): boolean {
  return (
    status === 'cut' &&
    assertions.some(a => a.outcome !== 'not-run') &&
    assertions.every(a => a.role === 'holdout' || a.outcome === 'passed')
  );
}

function holdoutsRan({ assertions }: Execution): boolean {
  return assertions.some(a => a.role === 'holdout' && a.outcome !== 'not-run');
}

function visibleAssertion({
  role,
  confirmed: _,
  unconfirmed: __,
  ...result
}: AssertionResult): readonly VisibleAssertion[] {
  return role === 'assertion' ? [{ ...result, role }] : [];
}
