/** Executors over a kernel connection. */
export { createExecutor } from './create';
export { FreshKernel, type FreshResult, type OwnKernel } from './freshKernel';
export { probeIsolation } from './probe';
