/** What checks a target. */
import { traitsOf } from '../evaluators';
import { withoutSkipped } from './numberedChecks';
import type { CheckCell, RefineRequest, RequestChecks } from '../request';
import type { IEvaluator } from '../verdict';

/** True when there is an assertion that is not skipped, or a hold-out; without one they never pass a candidate. */
export function hasChecks({
  assertions,
  holdouts,
  language
}: RefineRequest): boolean {
  const isUsed = (cell: CheckCell) =>
    !cell.skipped || withoutSkipped(cell, language).statements > 0;
  return holdouts.length > 0 || assertions.some(isUsed);
}

/** True when both hold the same sources in the same roles; where the cells stand does not matter. */
export function hasSameChecks(a: RequestChecks, b: RequestChecks): boolean {
  const [one, other] = [a, b].map(({ assertions, holdouts, scorer }) =>
    JSON.stringify([
      ...[...assertions, ...holdouts].map(({ role, source }) => [role, source]),
      scorer?.source
    ])
  );
  return one === other;
}

/** True when a pass can rest on it where no cell checks; reading the source alone is no check. */
export function decides({ name, required }: IEvaluator): boolean {
  return required && traitsOf(name).canPassAlone;
}

/**
 * True when no value of the metric is good enough: a pass does not end the
 * session, it continues for a better value. A human's approval ends it.
 */
export function isOpenEnded({ scorer, options }: RefineRequest): boolean {
  return (
    scorer !== undefined &&
    options.targetScore === null &&
    !options.evaluators.includes('human')
  );
}
