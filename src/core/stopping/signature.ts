/** What makes two failures the same failure. */
import type { ExecutionError } from '../domain/execution';
import type { VisibleAttempt } from '../domain/visible';

/**
 * The errors and failing statements of an attempt without what varies by chance
 * (addresses, line numbers, times). Null when nothing failed.
 */
export function failureSignature(attempt: VisibleAttempt): string | null {
  if (attempt.failure) {
    const { code, message } = attempt.failure;
    return `failure ${code}${code === 'syntax' ? `: ${plain(message)}` : ''}`;
  }
  const { execution } = attempt;
  if (!execution) {
    return null;
  }
  const parts: string[] = [];
  if (execution.status === 'cut') {
    parts.push(`cut ${execution.stop}`);
  }
  if (execution.error) {
    parts.push(errorSignature(execution.error));
  }
  for (const result of execution.assertions) {
    if (result.outcome === 'failed' || result.outcome === 'error') {
      const observed = result.observed ? plain(result.observed.repr) : '';
      const error = result.error ? errorSignature(result.error) : '';
      parts.push(`${result.id} ${result.outcome} ${observed} ${error}`);
    }
  }
  if (attempt.holdoutFailed) {
    parts.push('hold-out');
  }
  return parts.length === 0 ? null : parts.join('\n');
}

function errorSignature(error: ExecutionError): string {
  return `${error.name}: ${plain(error.message)}`;
}

function plain(text: string): string {
  return text
    .replace(/0x[0-9a-f]+/gi, '0x')
    .replace(/\bline \d+/g, 'line')
    .slice(0, 500);
}
