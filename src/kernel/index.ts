/** Executors over a kernel connection. */
export { createExecutor, type ExecutorOptions } from './create';
export { ForkExecutor } from './forkExecutor';
export { FreshKernel, type FreshResult, type OwnKernel } from './freshKernel';
export { KernelHarness } from './harness';
export { LiveExecutor } from './liveExecutor';
export { CONTROL_REQUEST } from './messageTypes';
export { probeIsolation } from './probe';
