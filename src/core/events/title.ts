/** One short line that distinguishes attempts in a list. */
import { cutLine } from '../text/cut';
import {
  failedAssertions,
  type Execution,
  type ExecutionError
} from '../domain/execution';
import {
  holdoutFailed,
  visibleExecution,
  type VisibleAssertion
} from '../domain/visible';

const TITLE_LIMIT = 90;
/** Of the values that a title compares. */
const TITLE_PART = 26;

/** The first line of a model's thoughts; empty when there is none. */
export function thoughtTitle(thoughts: string): string {
  const lines = thoughts.replace(/^[\s#*>-]+/gm, '').split('\n');
  const line = lines.find(text => /\p{L}{2}/u.test(text)) ?? '';
  return cutLine(line.trim().replace(/[.:]$/, ''), TITLE_LIMIT);
}

/** The failure in a few words: `f(10) is 54, expected 55`. Empty when nothing failed. */
export function failureTitle(execution: Execution): string {
  const visible = visibleExecution(execution);
  if (visible.status === 'cut') {
    return cutLine(visible.stopMessage ?? visible.stop ?? '', Infinity);
  }
  if (visible.error) {
    return errorTitle(visible.error);
  }
  const [failed] = failedAssertions(visible);
  return failed
    ? assertionTitle(failed)
    : holdoutFailed(execution)
      ? 'a held-out check failed'
      : '';
}

function assertionTitle(result: VisibleAssertion): string {
  if (result.outcome === 'error' && result.error) {
    return errorTitle(result.error);
  }
  const { source, error, expected, observed, operator = '==' } = result;
  if (!expected || !observed || operator.endsWith('in')) {
    // Of several statements only the error says which.
    return error?.message && source.trim().includes('\n')
      ? errorTitle(error)
      : cutLine(`failed: ${source}`, TITLE_LIMIT);
  }
  const short = (text: string) => cutLine(text, TITLE_PART);
  const [what, value] = [short(observed.expression), short(observed.repr)];
  // `55`, `< 10`.
  const wanted = short(
    /^(==|is)$/.test(operator) ? expected.repr : `${operator} ${expected.repr}`
  );
  // Cut, two long values can look the same.
  return value === wanted && result.difference
    ? cutLine(`${what}: ${result.difference}`, TITLE_LIMIT)
    : `${what} is ${value}, expected ${wanted}`;
}

/** Not cut: the panel shows what fits. */
function errorTitle({ name, message }: ExecutionError): string {
  const [line = ''] = message.split('\n', 1);
  return cutLine(line ? `${name}: ${line}` : name, Infinity);
}
