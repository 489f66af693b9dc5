/** What the loop receives for a run in a notebook: models, the kernel, and the panel's questions. */
import { systemClock } from '../../../../core/clock';
import type { Denial, RefineDeps, Review } from '../../../../core/deps';
import type { IExecutor } from '../../../../core/domain/executor';
import type { RefineRequest } from '../../../../core/domain/request';
import type { SessionState } from '../../../../core/events/state';
import type { Steering } from '../../../../core/session/steering';
import type { Questions } from '../../questions';
import type { SessionPorts, SessionStart } from '../ports';
import { checksNow } from './editedChecks';
import { askPermit, askReview, askSession } from './questions';

/** The session of the run. */
export type RunSession = {
  readonly ports: SessionPorts;
  readonly questions: Questions;
  readonly steering: Steering;
  /** As it is now. */
  readonly state: () => SessionState;
};

export function runDeps(
  start: SessionStart,
  request: RefineRequest,
  { ports, questions, steering, state }: RunSession,
  executor: IExecutor,
  signal: AbortSignal
): RefineDeps {
  const { panel, trans } = ports;
  return {
    generator: start.model,
    evaluatorModel: start.evaluatorModel,
    extensions: ports.extensions,
    executor,
    clock: systemClock,
    checksNow: (asked: AbortSignal) =>
      checksNow(panel, start.checks, state().request ?? request, asked),
    steering,
    ask: askSession(questions, trans),
    permit: (denial: Denial, asked: AbortSignal) =>
      askPermit(questions, denial, asked, trans),
    review: (review: Review, asked: AbortSignal) =>
      askReview(
        questions,
        review,
        state().attempts.find(a => a.attempt === review.attempt) ?? null,
        asked,
        trans
      ),
    signal
  };
}

/** What the user gave this run, before its first attempt. */
export function steer(steering: Steering, start: SessionStart): void {
  if (start.hint) {
    steering.hint(start.hint);
  }
  if (start.base !== undefined) {
    steering.base(start.base);
  }
  if (start.edited) {
    steering.edit(start.edited);
  }
  if (start.stepwise) {
    steering.step();
  }
}
