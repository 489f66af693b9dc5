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

/** What prompts may say of a request. */
export type VisibleRequest = Pick<
  RefineRequest,
  | 'language'
  | 'target'
  | 'prompt'
  | 'assertions'
  | 'scorer'
  | 'part'
  | 'repair'
  | 'followUp'
  | 'context'
  | 'options'
> & { readonly holdouts?: undefined };

export type VisibleAssertion = Omit<
  AssertionResult,
  'role' | 'confirmed' | 'unconfirmed'
> & { readonly role: 'assertion' };

/** What the candidate and the visible checks gave. */
export type VisibleExecution = Pick<
  Execution,
  | 'status'
  | 'stop'
  | 'stopMessage'
  | 'stack'
  | 'error'
  | 'findings'
  | 'stdout'
  | 'denied'
  | 'tampering'
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

export function visibleRequest(request: RefineRequest): VisibleRequest {
  const { language, target, prompt, assertions, scorer, options } = request;
  const { context, holdouts, part, repair, followUp } = request;
  const hidden = new Set(holdouts.map(cell => cell.cellId));
  const cells = context.cells.filter(cell => !hidden.has(cell.cellId));
  return {
    language,
    target,
    prompt,
    assertions,
    scorer,
    part,
    repair,
    followUp,
    options,
    context: { ...context, cells }
  };
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
  const { findings } = execution;
  const shared = {
    assertions: execution.assertions.flatMap(visibleAssertion),
    ...(findings ? { findings } : {})
  };
  if (holdoutsRan(execution)) {
    return {
      ...shared,
      status: 'completed',
      stdout: '',
      denied: [],
      tampering: execution.tampering.length > 0 ? [CHECKS_CHANGED] : []
    };
  }
  const { status, stop, stopMessage, stack, error } = execution;
  const { stdout, denied, tampering } = execution;
  return {
    ...shared,
    status,
    stop,
    stopMessage,
    stack,
    error,
    stdout,
    denied,
    tampering
  };
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
  const places =
    known.length > 0
      ? known
      : holdouts.map(({ cellId }) => ({
          id: `${cellId}:holdout`,
          cellId,
          line: 1
        }));
  const outcome = cut ? 'failed' : commonOutcome(known);
  const assertions = [
    ...execution.assertions.filter(a => a.role === 'assertion'),
    ...places.map(place => sealed(place, outcome, commonConfirmation(known)))
  ];
  if (!cut || saysNothing(execution)) {
    return { ...execution, assertions };
  }
  return {
    ...execution,
    status: 'completed',
    stop: undefined,
    stopMessage: undefined,
    stack: undefined,
    assertions
  };
}

function sealed(
  { id, cellId, line }: Pick<AssertionResult, 'id' | 'cellId' | 'line'>,
  outcome: AssertionOutcome,
  confirmed: boolean | undefined
): AssertionResult {
  return {
    id,
    cellId,
    role: 'holdout',
    line,
    source: '',
    outcome,
    durationMs: 0,
    ...(outcome !== 'passed' || confirmed === undefined
      ? {}
      : confirmed
        ? { confirmed }
        : { confirmed, unconfirmed: HOLDOUT_UNCONFIRMED })
  };
}

/** True only when all of them are; undefined where there is no separate process. */
function commonConfirmation(
  results: readonly AssertionResult[]
): boolean | undefined {
  return results.some(result => result.confirmed === undefined)
    ? undefined
    : results.every(result => result.confirmed);
}

/** A hold-out that was left out beside others that ran is no pass of all. */
function commonOutcome(results: readonly AssertionResult[]): AssertionOutcome {
  const all = (outcome: AssertionOutcome) =>
    results.every(result => result.outcome === outcome);
  return all('not-run') ? 'not-run' : all('passed') ? 'passed' : 'failed';
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
