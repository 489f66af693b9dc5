/** What a console runs to debug an attempt: its code, and the visible check that failed. */
import type { AttemptState, SessionState } from '../../core/events/state';

export type DebugCode = {
  readonly attempt: number;
  readonly source: string;
  /** Where the debugger is to stop, from 1. */
  readonly line: number;
};

/** Null for an attempt without code, or in which nothing failed that is shown. */
export function debugCode(
  { attempt, code, assertions, execution }: AttemptState,
  { request }: SessionState
): DebugCode | null {
  const candidate = code.trimEnd();
  if (candidate === '') {
    return null;
  }
  if (execution?.error) {
    const line = execution.error.candidateLine ?? firstLine(candidate);
    return { attempt, source: candidate, line };
  }
  const failed = assertions.find(
    ({ role, outcome }) =>
      role === 'assertion' && (outcome === 'failed' || outcome === 'error')
  );
  const cell = request?.assertions.find(
    ({ cellId }) => cellId === failed?.cellId
  );
  if (!failed || !cell) {
    return null;
  }
  const end = failed.line - 1 + failed.source.split('\n').length;
  const check = cell.source.split('\n').slice(0, end).join('\n');
  return {
    attempt,
    source: `${candidate}\n\n${check}`,
    line: candidate.split('\n').length + 1 + failed.line
  };
}

/** The newest attempt that can be debugged, or the one of a number. */
export function debuggable(
  session: SessionState | null,
  number?: number
): DebugCode | null {
  if (!session || session.request?.language !== 'python') {
    return null;
  }
  const attempts = session.attempts.filter(
    ({ attempt, phase }) =>
      phase === 'ended' && (number === undefined || attempt === number)
  );
  for (const attempt of [...attempts].reverse()) {
    const found = debugCode(attempt, session);
    if (found) {
      return found;
    }
  }
  return null;
}

/** The first line that is not blank and no comment. */
function firstLine(source: string): number {
  const index = source.split('\n').findIndex(line => /^\s*[^\s#]/.test(line));
  return Math.max(0, index) + 1;
}
