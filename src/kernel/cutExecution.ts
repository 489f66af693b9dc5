/** An execution that was ended before the kernel could report on it. */
import type { ExecutionStop, Isolation } from '../core/domain/execution';
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
    assertions: [],
    stdout: '',
    stderr: '',
    displays: [],
    isolation,
    filesWritten: [],
    denied: [],
    tampering: [],
    warnings: [],
    durationMs: 0
  };
}
