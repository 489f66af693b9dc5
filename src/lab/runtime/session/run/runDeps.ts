/** What the loop receives for a run in a notebook: models, the kernel, and the panel's questions. */
import { systemClock } from '../../../../core/clock';
import type { RefineDeps, Review } from '../../../../core/deps';
import type { IExecutor } from '../../../../core/domain/executor';
import type { Steering } from '../../../../core/session/steering';
import type { Questions } from '../../questions';
import type { SessionPorts, SessionStart } from '../ports';
import { askReview, askSession } from './questions';

/** The session of the run. */
export type RunSession = {
  readonly ports: SessionPorts;
  readonly questions: Questions;
  readonly steering: Steering;
};

export function runDeps(
  start: SessionStart,
  { ports, questions, steering }: RunSession,
  executor: IExecutor,
  signal: AbortSignal
): RefineDeps {
  const { trans } = ports;
  return {
    generator: start.model,
    evaluatorModel: start.evaluatorModel,
    extensions: ports.extensions,
    executor,
    clock: systemClock,
    steering,
    ask: askSession(questions, trans),
    review: (review: Review, asked: AbortSignal) =>
      askReview(questions, review, asked, trans),
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
