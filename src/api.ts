/**
 * The npm subpath `jupyterlab-refine/core`: the loop, its events and the reading of notebooks, without a
 * page, a kernel or a server. Node and browsers import it (`docs/npm.md`).
 */
export { systemClock, type IClock } from './core/clock';
export type { Ask, CheckDeps, RefineDeps } from './core/deps';
export type {
  AssertionResult,
  Execution,
  ExecutionError,
  Isolation
} from './core/domain/execution';
export type {
  ExecutionJob,
  ExecutionProgress,
  IExecutor
} from './core/domain/executor';
export type {
  ChatMessage,
  ILanguageModel,
  ModelEvent,
  ModelIdentity,
  ModelRequest,
  Usage
} from './core/domain/model';
export type { Outcome, StopReason } from './core/domain/outcome';
export type { CheckCell, RefineRequest, Target } from './core/domain/request';
export type { IEvaluator, Verdict } from './core/domain/verdict';
export { RefineError } from './core/errors';
export type { RefineEvent } from './core/events/events';
export { fold, initialState } from './core/events/fold';
export type { AttemptState, SessionState } from './core/events/state';
export { check, refine } from './core/loop';
export { settingsSchema, type RefineOptions } from './core/settings';
export {
  allTargets,
  buildRequest,
  cellsFromNotebook,
  planTarget,
  resolveOptions,
  type NotebookCell,
  type NotebookContent
} from './notebook';
