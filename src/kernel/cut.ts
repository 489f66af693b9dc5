import type { ExecutionStop } from '../core/domain/execution';

/** Thrown inside a run to end it; carries what the execution says of it. */
export class Cut {
  constructor(
    readonly stop: ExecutionStop,
    readonly message: string
  ) {}
}
