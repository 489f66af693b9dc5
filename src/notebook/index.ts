export { analyse, countChecks, looksLikeCheck } from './python/analysis';
export type { SourceAnalysis } from './python/analysis';
export type { Statement, StatementKind } from './python/statement';
export {
  cellAt,
  CellTags,
  certainLanguage,
  cellsFromNotebook,
  hasTag,
  METADATA_KEY,
  notebookLanguage,
  refineMetadata
} from './structure/cells';
export type {
  CellContent,
  NotebookCell,
  NotebookContent
} from './structure/cells';
export { readCellOptions, resolveOptions } from './options/cellOptions';
export type { CellOptions } from './options/cellOptions';
export { chooseContext } from './structure/context';
export type { ChosenContext, MaskedCell } from './structure/context';
export {
  applyOutcome,
  splitSource,
  withDraftedAssertions,
  withLinkedTargets
} from './edits';
export type { CellEdit } from './edits';
export { fingerprint, wasRefined } from './fingerprint';
export { parseMagicCell } from './magicCell';
export { cellsAbove } from './structure/cellsAbove';
export type { CellAbove } from './structure/cellsAbove';
export type { MagicCell } from './magicCell';
export { namesToInspect } from './structure/names';
export { splitHiddenTests } from './structure/nbgrader';
export type { SplitTests } from './structure/nbgrader';
export { decideOnPass, doubtsOf, isHarmless } from './onPass';
export type { AllowedForReal, PassDecision, PassDoubt } from './onPass';
export { planTarget } from './plan';
export type { PlanOptions, TargetPlan } from './plan';
export { limitByPolicy } from './options/policyLimits';
export type {
  LimitedOption,
  LimitedOptions,
  PolicyLimits,
  PolicyNote
} from './options/policyLimits';
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
export {
  isLocked,
  isMagicCell,
  isSolution,
  markedRole
} from './structure/roles';
export type { MarkedRole } from './structure/roles';
export { maskSecrets, MASK } from './secrets';
export type { Masked } from './secrets';
export { sha256 } from './sha256';
export { notebookStructure, promptCellOf } from './structure/structure';
export type { CheckPlace, NotebookStructure } from './structure/structure';
export { allTargets, editRefusal, findTarget } from './structure/targets';
export type {
  Refusal,
  RefusalCode,
  TargetPolicy,
  TargetSearch
} from './structure/targets';
