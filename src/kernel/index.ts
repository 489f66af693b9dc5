/** Executors over a kernel connection. */
export { createExecutor } from './create';
export {
  FreshKernel,
  type FreshResult,
  type OwnKernel,
  type OwnProcess
} from './freshKernel';
export { probeIsolation } from './probe';
