/** An execution that was ended before the kernel could report on it. */
import {
  NOTHING_REPORTED,
  type ExecutionStop,
  type Isolation
} from '../core/domain/execution';
import type { KernelExecution } from './schema';

export function cutExecution(
  id: string,
  isolation: Isolation,
  stop: ExecutionStop,
  stopMessage: string
): KernelExecution {
  return {
    id,
    status: 'cut',
    stop,
    stopMessage,
    ...NOTHING_REPORTED,
    isolation
  };
}
