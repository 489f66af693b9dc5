export { analyse, countChecks, looksLikeCheck } from './analysis';
export type { SourceAnalysis, Statement, StatementKind } from './analysis';
export {
  CellTags,
  certainLanguage,
  cellsFromNotebook,
  hasTag,
  METADATA_KEY,
  notebookLanguage,
  refineMetadata
} from './cells';
export type { CellContent, NotebookCell, NotebookContent } from './cells';
export { readCellOptions, resolveOptions } from './cellOptions';
export type { CellOptions } from './cellOptions';
export { chooseContext } from './context';
export type { ChosenContext, MaskedCell } from './context';
export {
  applyOutcome,
  splitSource,
  withDraftedAssertions,
  withLinkedTargets
} from './edits';
export type { CellEdit } from './edits';
export { fingerprint, parseMagicCell, wasRefined } from './magicCell';
export { cellsAbove } from './cellsAbove';
export type { CellAbove } from './cellsAbove';
export type { MagicCell } from './magicCell';
export { namesToInspect } from './names';
export { splitHiddenTests } from './nbgrader';
export type { SplitTests } from './nbgrader';
export { decideOnPass, doubtsOf, isHarmless } from './onPass';
export type { AllowedForReal, PassDecision, PassDoubt } from './onPass';
export { planTarget } from './plan';
export type { PlanOptions, TargetPlan } from './plan';
export { limitByPolicy } from './policyLimits';
export type {
  LimitedOption,
  LimitedOptions,
  PolicyLimits,
  PolicyNote
} from './policyLimits';
export {
  checksHash,
  isStale,
  provenance,
  readResult,
  sourceHash,
  withRefineMetadata
} from './provenance';
export type {
  AcceptedAttempt,
  ProvenanceInput,
  ResultMetadata
} from './provenance';
export { buildRequest } from './request';
export type { RequestInput } from './request';
export { isLocked, isMagicCell, isSolution, markedRole } from './roles';
export type { MarkedRole } from './roles';
export { maskSecrets, MASK } from './secrets';
export type { Masked } from './secrets';
export { sha256 } from './sha256';
export { notebookStructure, promptCellOf } from './structure';
export type { CheckPlace, NotebookStructure } from './structure';
export { allTargets, editRefusal, findTarget } from './targets';
export type {
  Refusal,
  RefusalCode,
  TargetPolicy,
  TargetSearch
} from './targets';
