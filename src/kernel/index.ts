/** Executors over a kernel connection. */
export { createExecutor, type ExecutorOptions } from './create';
export { ForkExecutor } from './fork/forkExecutor';
export { FreshKernel, type FreshResult, type OwnKernel } from './freshKernel';
export { KernelHarness } from './harness';
export { LiveExecutor } from './live/liveExecutor';
export { CONTROL_REQUEST } from './channel/messageTypes';
export { probeIsolation } from './probe';
