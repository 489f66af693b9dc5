/** Events to state: pure, and the only reading of the stream that views, command line and loop share. */
import type { RefineEvent } from './events';
import { addUsage, NO_USAGE } from '../domain/model';
import type { AttemptState, SessionState } from './state';
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
  // Between an end and what goes on from it, nothing ran.
  const idle =
    event.type === 'session-start' && state.attempts.length > 0
      ? event.at - state.lastAt
      : 0;
  const startedAt = state.startedAt + idle;
  return reduce({ ...state, startedAt, lastAt: event.at }, event);
}

function reduce(state: SessionState, event: RefineEvent): SessionState {
  switch (event.type) {
    case 'session-start': {
      const { session, request, model, isolation, at } = event;
      const last = state.attempts.at(-1)?.attempt ?? 0;
      return {
        ...state,
        session,
        request,
        model,
        isolation,
        phase: 'starting',
        waiting: null,
        outcome: null,
        startedAt: state.attempts.length > 0 ? state.startedAt : at,
        ...(last > 0 ? { attemptsBefore: last } : {}),
        attempts: state.attempts.map(endInterrupted)
      };
    }
    case 'attempt-start': {
      const { attempt, prompt, editedFrom } = event;
      return {
        ...state,
        phase: attempt === 0 ? 'checking' : 'writing',
        attempts: [
          ...state.attempts,
          {
            ...EMPTY_ATTEMPT,
            attempt,
            phase: attempt === 0 ? 'running' : 'writing',
            prompt,
            ...(editedFrom === undefined ? {} : { editedFrom }),
            hints: state.hints.slice(hintsUsed(state))
          }
        ]
      };
    }
    case 'candidate-delta':
      return change(state, event, ({ writingSince, thoughts, code }) => ({
        writingSince: writingSince ?? event.at,
        thoughts: (event.reset ? '' : thoughts) + event.thoughts,
        code: (event.reset ? '' : code) + event.code
      }));
    case 'candidate-end': {
      const { thoughts, code } = event;
      const written = { thoughts, code, writingSince: undefined };
      return enter(change(state, event, written), event, 'running');
    }
    case 'execution-start': {
      const nothing = { assertions: [], output: '', execution: null };
      return enter(change(state, event, nothing), event, 'running');
    }
    case 'execution-output':
      return change(state, event, ({ output }) => ({
        output: (output + event.text).slice(-OUTPUT_LIMIT)
      }));
    case 'assertion-end':
      return change(state, event, ({ assertions }) => ({
        assertions: [
          ...assertions.filter(a => a.id !== event.result.id),
          event.result
        ]
      }));
    case 'execution-end': {
      const { execution } = event;
      const { assertions, stdout, stderr, isolation } = execution;
      const output = (stdout + stderr).slice(-OUTPUT_LIMIT);
      const ran = change(state, event, { assertions, output, execution });
      // A kernel that can be forked no more: attempts run elsewhere since.
      return enter({ ...ran, isolation }, event, 'judging');
    }
    case 'verdict-end':
      return change(state, event, { verdict: event.verdict });
    case 'feedback-end': {
      const { strategy, text } = event;
      return change(state, event, { feedback: { strategy, text } });
    }
    case 'dispute':
      return change(state, event, { dispute: event.dispute });
    case 'attempt-end': {
      const { verdict, usage, durationMs, failure = null, best } = event;
      const before = best
        ? {
            ...state,
            best: event.attempt,
            attempts: state.attempts.map(one => ({ ...one, best: false }))
          }
        : state;
      const ended = { verdict, usage, durationMs, failure, best };
      return change(before, event, { phase: 'ended', ...ended });
    }
    case 'usage':
      return change({ ...state, usage: event.total }, event, ({ usage }) => ({
        usage: addUsage(usage, event.usage)
      }));
    case 'wait-start': {
      const { for: subject, reason } = event;
      return { ...state, phase: 'waiting', waiting: { for: subject, reason } };
    }
    case 'wait-end':
      // Another wait may have taken its place.
      return state.waiting && state.waiting.for !== event.for
        ? state
        : { ...state, phase: currentPhase(state), waiting: null };
    case 'repeat':
      return change(state, event, { repeatOf: event.of });
    case 'hint':
      return { ...state, hints: [...state.hints, event.text] };
    case 'base': {
      const after = state.attempts.at(-1)?.attempt ?? 0;
      return { ...state, base: { attempt: event.attempt, after } };
    }
    case 'pause':
      return { ...state, paused: event.paused };
    case 'tamper':
    case 'warning': {
      const { message, attempt } = event;
      const warning =
        attempt === undefined ? { message } : { message, attempt };
      return { ...state, warnings: [...state.warnings, warning] };
    }
    case 'restart':
      return {
        ...state,
        restarts: [...(state.restarts ?? []), event.attempt]
      };
    case 'model-call':
      return event.purpose === 'candidate'
        ? change(state, event, { answer: event.answer })
        : state;
    case 'permission':
      return state;
    case 'session-end': {
      const { outcome } = event;
      const { usage } = outcome;
      const ended = { phase: 'ended', waiting: null, paused: false } as const;
      return { ...state, ...ended, usage, outcome };
    }
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
    case 'acceptance': {
      const { attempt, status, source } = event;
      const written = source === undefined ? {} : { source };
      return { ...state, acceptance: { attempt, status, ...written } };
    }
  }
}

const EMPTY_ATTEMPT = {
  thoughts: '',
  code: '',
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
} as const;

type Change = Partial<AttemptState>;

/** The state with fields of the event's attempt changed. */
function change(
  state: SessionState,
  event: { readonly attempt: number },
  to: Change | ((attempt: AttemptState) => Change)
): SessionState {
  const attempts = state.attempts.map(attempt =>
    attempt.attempt === event.attempt
      ? { ...attempt, ...(typeof to === 'function' ? to(attempt) : to) }
      : attempt
  );
  return { ...state, attempts };
}

/** The state with session and attempt in a phase. */
function enter(
  state: SessionState,
  event: { readonly attempt: number },
  phase: 'running' | 'judging'
): SessionState {
  return { ...change(state, event, { phase }), phase };
}

/** Hints that some attempt's prompt held already. */
export function hintsUsed(state: SessionState): number {
  return state.attempts.reduce((n, a) => n + (a.hints?.length ?? 0), 0);
}

/** The phase after a wait. */
function currentPhase(state: SessionState): SessionState['phase'] {
  const last = state.attempts.at(-1);
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
