/** Executors over a kernel connection. */
export { createExecutor, probeIsolation } from './create';
export { FreshKernel, type FreshResult, type OwnKernel } from './freshKernel';
