/** Why a target did not pass, in a word for machines and a sentence for people. */
import {
  failedAssertions,
  type AssertionResult,
  type Execution,
  type ExecutionStop
} from '../../core/domain/execution';
import { errorText, oneLine, printable } from './screen';

export type ReasonKind =
  | 'wrong-value'
  | 'error-in-check'
  | 'error'
  | 'syntax'
  | 'missing-module'
  | 'hidden-test'
  | 'hang'
  | 'crash'
  | 'memory'
  | 'output'
  | 'limit'
  /** No check fails, but one checks nothing, or a judge, a scorer or a person does not accept it. */
  | 'not-accepted'
  /** Something above it, or the notebook as a whole, kept it from being checked. */
  | 'not-checked'
  | 'no-checks'
  /** A fault of ours: nothing is said of the code. */
  | 'fault';

export type Reason = {
  readonly kind: ReasonKind;
  /** A sentence without its full stop, of one line. */
  readonly message: string;
};

const STOPS: Readonly<Record<ExecutionStop, ReasonKind>> = {
  timeout: 'hang',
  memory: 'memory',
  output: 'output',
  cpu: 'hang',
  processes: 'limit',
  crashed: 'crash',
  harness: 'fault',
  stopped: 'not-checked',
  interrupted: 'not-checked',
  'kernel-died': 'crash',
  'kernel-restarted': 'fault'
};
const WIDTH = 300;
const VALUE_WIDTH = 120;

/** Null for an execution in which everything held. */
export function reasonOf(execution: Execution): Reason | null {
  const { stop, stopMessage, error, assertions } = execution;
  if (stop !== undefined) {
    return {
      kind: STOPS[stop],
      message: oneLine(stopMessage ?? stop, WIDTH)
    };
  }
  if (error) {
    const line =
      error.candidateLine === undefined ? '' : ` (line ${error.candidateLine})`;
    return {
      kind: kindOf(error.name),
      message: `${oneLine(errorText(error), WIDTH)}${line}`
    };
  }
  const failed = failedAssertions(execution);
  const [first] = failed.filter(({ role }) => role === 'assertion');
  if (first) {
    return ofCheck(first);
  }
  if (failed.length > 0) {
    return { kind: 'hidden-test', message: 'a hidden test failed' };
  }
  const idle = assertions.find(
    ({ role, outcome, difference }) =>
      role === 'assertion' && outcome === 'not-run' && difference
  );
  return idle
    ? {
        kind: 'not-accepted',
        message: `${nameOf(idle)}: ${oneLine(idle.difference ?? '', WIDTH)}`
      }
    : null;
}

function nameOf({ source, line }: AssertionResult): string {
  return `\`${oneLine(source || `line ${line}`, VALUE_WIDTH)}\``;
}

function kindOf(error: string): ReasonKind {
  if (['SyntaxError', 'IndentationError', 'TabError'].includes(error)) {
    return 'syntax';
  }
  return ['ModuleNotFoundError', 'ImportError'].includes(error)
    ? 'missing-module'
    : 'error';
}

function ofCheck(check: AssertionResult): Reason {
  const { expected, observed, error } = check;
  const where = nameOf(check);
  if (expected && observed) {
    const [wanted, given] = [expected, observed].map(({ repr }) =>
      oneLine(repr, VALUE_WIDTH)
    );
    const message = `${where}: expected ${wanted}, observed ${given}`;
    return { kind: 'wrong-value', message };
  }
  if (error && error.name !== 'AssertionError') {
    return {
      kind: 'error-in-check',
      message: `${where} raised ${oneLine(errorText(error), VALUE_WIDTH)}`
    };
  }
  const said = error?.message.trim() || check.difference;
  const why = said ? `: ${oneLine(printable(said), VALUE_WIDTH)}` : '';
  return { kind: 'wrong-value', message: `${where} is false${why}` };
}
