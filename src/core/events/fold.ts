/** Events to state: pure, and the only reading of the stream that views, command line and loop share. */
import type { RefineEvent } from './events';
import { addUsage, NO_USAGE } from '../domain/model';
import type { AttemptState, SessionState } from './state';
import { failureTitle } from './title';
import { unscored } from '../domain/verdict';

const OUTPUT_LIMIT = 20000;

/** The state before the first event. */
export function initialState(session: string): SessionState {
  return {
    session,
    request: null,
    model: null,
    isolation: null,
    phase: 'starting',
    waiting: null,
    paused: false,
    attempts: [],
    best: null,
    usage: NO_USAGE,
    warnings: [],
    hints: [],
    startedAt: 0,
    lastAt: 0,
    outcome: null
  };
}

/**
 * The state after `event`. Never mutates; costs an append of strings for a
 * `candidate-delta`. Events of a session that continues after its end
 * (a second `session-start`) keep the attempts made before.
 */
export function fold(state: SessionState, event: RefineEvent): SessionState {
  if (state.phase === 'ended' && event.type !== 'session-start') {
    return reduce(state, event);
  }
  const asked =
    event.type === 'wait-end' && ['human', 'permission'].includes(event.for);
  const waitedMs = (state.waitedMs ?? 0) + (event.at - state.lastAt);
  const timed = { ...state, lastAt: event.at, ...(asked ? { waitedMs } : {}) };
  return reduce(timed, event);
}

function reduce(state: SessionState, event: RefineEvent): SessionState {
  switch (event.type) {
    case 'session-start':
      return {
        ...state,
        session: event.session,
        request: event.request,
        model: event.model,
        isolation: event.isolation,
        phase: 'starting',
        waiting: null,
        outcome: null,
        startedAt: state.attempts.length > 0 ? state.startedAt : event.at,
        ...attemptsBefore(state),
        attempts: state.attempts.map(endInterrupted)
      };
    case 'attempt-start':
      return {
        ...state,
        phase: event.attempt === 0 ? 'checking' : 'writing',
        attempts: [
          ...state.attempts,
          {
            ...emptyAttempt(event.attempt),
            prompt: event.prompt,
            ...(event.editedFrom === undefined
              ? {}
              : { editedFrom: event.editedFrom }),
            hints: state.hints.slice(hintsUsed(state))
          }
        ]
      };
    case 'candidate-delta':
      return withAttempt(state, event.attempt, attempt => {
        const { reset, resetCode } = event;
        return {
          ...attempt,
          writingSince: attempt.writingSince ?? event.at,
          thoughts: (reset ? '' : attempt.thoughts) + event.thoughts,
          code: (reset || resetCode ? '' : attempt.code) + event.code
        };
      });
    case 'candidate-end':
      return withAttempt(
        { ...state, phase: 'running' },
        event.attempt,
        ({ writingSince: _, ...attempt }) => ({
          ...attempt,
          phase: 'running',
          thoughts: event.thoughts,
          code: event.code,
          title: event.title
        })
      );
    case 'execution-start':
      return withAttempt(
        { ...state, phase: 'running' },
        event.attempt,
        attempt => ({
          ...attempt,
          phase: 'running',
          assertions: [],
          output: '',
          execution: null
        })
      );
    case 'execution-output':
      return withAttempt(state, event.attempt, attempt => ({
        ...attempt,
        output: (attempt.output + event.text).slice(-OUTPUT_LIMIT)
      }));
    case 'assertion-end':
      return withAttempt(state, event.attempt, attempt => ({
        ...attempt,
        assertions: [
          ...attempt.assertions.filter(a => a.id !== event.result.id),
          event.result
        ]
      }));
    case 'execution-end':
      return withAttempt(
        // A kernel that can be forked no more: attempts run elsewhere since.
        {
          ...state,
          phase: 'judging',
          isolation: event.execution.isolation
        },
        event.attempt,
        attempt => ({
          ...attempt,
          phase: 'judging',
          assertions: event.execution.assertions,
          output: (event.execution.stdout + event.execution.stderr).slice(
            -OUTPUT_LIMIT
          ),
          execution: event.execution,
          title: attempt.title || failureTitle(event.execution, state.request)
        })
      );
    case 'verdict-end':
      return withAttempt(state, event.attempt, attempt => ({
        ...attempt,
        verdict: event.verdict
      }));
    case 'feedback-end':
      return withAttempt(state, event.attempt, attempt => ({
        ...attempt,
        feedback: { strategy: event.strategy, text: event.text }
      }));
    case 'dispute':
      return withAttempt(state, event.attempt, attempt => ({
        ...attempt,
        dispute: event.dispute
      }));
    case 'attempt-end':
      return withAttempt(
        { ...state, best: event.best ? event.attempt : state.best },
        event.attempt,
        attempt => ({
          ...attempt,
          phase: 'ended',
          verdict: event.verdict,
          usage: event.usage,
          durationMs: event.durationMs,
          failure: event.failure ?? null,
          title: attempt.title || (event.failure?.message ?? ''),
          best: event.best
        }),
        event.best ? attempt => ({ ...attempt, best: false }) : undefined
      );
    case 'usage':
      return withAttempt(
        { ...state, usage: event.total },
        event.attempt,
        attempt => ({
          ...attempt,
          usage: addUsage(attempt.usage, event.usage)
        })
      );
    case 'wait-start':
      return {
        ...state,
        phase: 'waiting',
        waiting: {
          for: event.for,
          reason: event.reason,
          ...(event.model ? { model: event.model } : {})
        }
      };
    case 'wait-end':
      // Another wait may have taken its place.
      return state.waiting && state.waiting.for !== event.for
        ? state
        : { ...state, phase: currentPhase(state), waiting: null };
    case 'repeat':
      return withAttempt(state, event.attempt, attempt => ({
        ...attempt,
        repeatOf: event.of
      }));
    case 'hint':
      return { ...state, hints: [...state.hints, event.text] };
    case 'base':
      return {
        ...state,
        base: {
          attempt: event.attempt,
          after: state.attempts.at(-1)?.attempt ?? 0
        }
      };
    case 'pause':
      return { ...state, paused: event.paused };
    case 'tamper':
    case 'warning':
      return {
        ...state,
        warnings: [
          ...state.warnings,
          {
            message: event.message,
            ...(event.attempt === undefined ? {} : { attempt: event.attempt })
          }
        ]
      };
    case 'restart':
      return {
        ...state,
        restarts: [...(state.restarts ?? []), event.attempt]
      };
    case 'model-call':
      return event.purpose === 'candidate'
        ? withAttempt(state, event.attempt, attempt => ({
            ...attempt,
            answer: event.answer
          }))
        : state;
    case 'permission':
      return state;
    case 'session-end':
      return {
        ...state,
        phase: 'ended',
        waiting: null,
        paused: false,
        usage: event.outcome.usage,
        outcome: event.outcome
      };
    case 'fresh-kernel':
      return state.outcome?.best?.attempt === event.attempt
        ? { ...state, outcome: { ...state.outcome, clean: event.result } }
        : state;
    case 'explanation': {
      const { question, text, usage } = event;
      return {
        ...state,
        usage: addUsage(state.usage, usage),
        explanations: [...(state.explanations ?? []), { question, text, usage }]
      };
    }
    case 'acceptance':
      return {
        ...state,
        acceptance: {
          attempt: event.attempt,
          status: event.status,
          ...(event.source === undefined ? {} : { source: event.source })
        }
      };
  }
}

function attemptsBefore(
  state: SessionState
): Pick<SessionState, 'attemptsBefore'> {
  const last = state.attempts[state.attempts.length - 1]?.attempt ?? 0;
  return last > 0 ? { attemptsBefore: last } : {};
}

function emptyAttempt(attempt: number): AttemptState {
  return {
    attempt,
    phase: attempt === 0 ? 'running' : 'writing',
    prompt: [],
    thoughts: '',
    code: '',
    title: '',
    assertions: [],
    output: '',
    execution: null,
    verdict: null,
    feedback: null,
    usage: NO_USAGE,
    durationMs: null,
    best: false,
    repeatOf: null,
    failure: null
  };
}

function withAttempt(
  state: SessionState,
  number: number,
  change: (attempt: AttemptState) => AttemptState,
  others = (attempt: AttemptState) => attempt
): SessionState {
  return {
    ...state,
    attempts: state.attempts.map(attempt =>
      attempt.attempt === number ? change(attempt) : others(attempt)
    )
  };
}

/** Hints that some attempt's prompt held already. */
export function hintsUsed(state: SessionState): number {
  return state.attempts.reduce((n, a) => n + (a.hints?.length ?? 0), 0);
}

/** The phase after a wait. */
function currentPhase(state: SessionState): SessionState['phase'] {
  const last = state.attempts[state.attempts.length - 1];
  if (!last || last.phase === 'ended') {
    return 'starting';
  }
  return last.attempt === 0 && last.phase !== 'judging'
    ? 'checking'
    : last.phase;
}

/** The state of a session whose page or process went away: what was being written or run has ended. */
export function interrupted(state: SessionState): SessionState {
  return { ...state, attempts: state.attempts.map(endInterrupted) };
}

function endInterrupted(attempt: AttemptState): AttemptState {
  const message = 'Interrupted before the attempt finished.';
  return attempt.phase === 'ended'
    ? attempt
    : {
        ...attempt,
        phase: 'ended',
        best: false,
        verdict: unscored('none', 'unknown', message),
        failure: { code: 'interrupted', message }
      };
}
