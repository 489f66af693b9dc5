/** Executors over a kernel connection. */
export { createExecutor, probeIsolation } from './create';
export { FreshKernel, type OwnKernel } from './freshKernel';
