/** One short line that distinguishes attempts in a list. */
import { cutLine } from '../text/cut';
import { editDistance } from '../text/nearest';
import {
  failedAssertions,
  type Execution,
  type ExecutionError
} from '../domain/execution';
import type { RefineRequest, VariableInfo } from '../domain/request';
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
  const [line = ''] = thoughts.trim().split('\n', 1);
  return cutLine(line.replace(/[.:]$/, ''), TITLE_LIMIT);
}

/**
 * The failure in a few words, with what the live variables add to it:
 * `KeyError: 'Region' — column is 'region'`. Empty when nothing failed.
 */
export function failureTitle(
  execution: Execution,
  request: RefineRequest | null
): string {
  const variables = request?.context.variables ?? [];
  const visible = visibleExecution(execution);
  if (visible.status === 'cut') {
    return oneLine(visible.stopMessage ?? visible.stop ?? '');
  }
  if (visible.error) {
    return errorTitle(visible.error, variables);
  }
  const [failed] = failedAssertions(visible);
  return failed
    ? assertionTitle(failed, variables)
    : holdoutFailed(execution)
      ? 'a held-out check failed'
      : '';
}

function assertionTitle(
  result: VisibleAssertion,
  variables: readonly VariableInfo[]
): string {
  if (result.outcome === 'error' && result.error) {
    return errorTitle(result.error, variables);
  }
  const { expected, observed, difference, operator = '==' } = result;
  if (!expected || !observed) {
    return cutLine(`failed: ${result.source}`, TITLE_LIMIT);
  }
  const short = (text: string) => cutLine(text, TITLE_PART);
  const [what, value] = [short(observed.expression), short(observed.repr)];
  // `55`, `< 10`.
  const wanted = /^(==|is)$/.test(operator)
    ? expected.repr
    : `${operator} ${expected.repr}`;
  return operator.endsWith('in') && difference
    ? `${what} = ${value} — ${short(difference)}`
    : `${what} is ${value}, expected ${short(wanted)}`;
}

function errorTitle(
  error: ExecutionError,
  variables: readonly VariableInfo[]
): string {
  const said = error.message
    ? `${error.name}: ${error.message.split('\n', 1)[0]}`
    : error.name;
  const meant = likelyName(error, variables);
  return oneLine(meant ? `${said} — ${meant}` : said);
}

/** Not cut: the panel can translate only whole sentences, and shows what fits. */
function oneLine(text: string): string {
  return cutLine(text, Infinity);
}

/** The column or name that was probably meant, where exactly one is close enough. */
export function likelyName(
  error: ExecutionError,
  variables: readonly VariableInfo[]
): string | null {
  const missing = /^['"](.*)['"]$/.exec(error.message.trim())?.[1];
  if (error.name === 'KeyError' && missing !== undefined) {
    const columns = variables.flatMap(v => (v.columns ?? []).map(c => c[0]));
    const column = onlyClose(missing, columns);
    return column === null ? null : `column is '${column}'`;
  }
  const undefinedName = /^name '(\w+)' is not defined/.exec(error.message)?.[1];
  if (error.name === 'NameError' && undefinedName !== undefined) {
    const name = onlyClose(
      undefinedName,
      variables.map(v => v.name)
    );
    return name === null ? null : `the kernel has '${name}'`;
  }
  return null;
}

/** The one of `names` that equals `wanted` but for case, blanks, `_` and `-`, or is one edit away. */
function onlyClose(wanted: string, names: readonly string[]): string | null {
  const distinct = [...new Set(names)].filter(name => name !== wanted);
  const plain = (name: string) => name.toLowerCase().replace(/[\s_-]/g, '');
  const same = distinct.filter(name => plain(name) === plain(wanted));
  const near =
    same.length > 0 || wanted.length < 4
      ? same
      : distinct.filter(name => editDistance(plain(name), plain(wanted)) <= 1);
  const [only = null, ...others] = near;
  return others.length === 0 ? only : null;
}
