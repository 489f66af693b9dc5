/** Executors over a kernel connection. */
export { CONTROL_REQUEST } from './controlRequest';
export { createExecutor, type ExecutorOptions } from './create';
export { ForkExecutor } from './forkExecutor';
export { KernelHarness } from './harness';
export { LiveExecutor } from './liveExecutor';
export { probeIsolation } from './probe';
