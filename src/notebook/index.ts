export { analyse } from './python/analysis';
export {
  cellAt,
  cellIds,
  CellTags,
  certainLanguage,
  cellsFromNotebook,
  hasTag,
  notebookLanguage,
  nbgraderMetadata
} from './structure/cells';
export { withTestsOf } from './structure/master';
export type { MasterNote } from './structure/master';
export { holdsHiddenData } from './structure/hidden';
export type {
  CellContent,
  NotebookCell,
  NotebookContent
} from './structure/cells';
export { resolveOptions } from './options/cellOptions';
export { applyOutcome, withLinkedTargets } from './edits';
export type { CellEdit } from './edits';
export { fingerprint } from './fingerprint';
export { cellsAbove } from './structure/cellsAbove';
export type { CellAbove } from './structure/cellsAbove';
export { namesToInspect } from './structure/names';
export { decideOnPass, isHarmless } from './onPass';
export { planTarget, plannedChecks } from './plan';
export { positionOfId } from './structure/perNotebook';
export { limitByPolicy } from './options/policyLimits';
export { acceptedSource, provenance } from './provenance';
export { buildRequest } from './request';
export {
  allTargets,
  CHECK_POLICY,
  editRefusal,
  findTarget,
  lostChecks
} from './structure/targets';
export { markedRole } from './structure/roles';
export type { TargetPolicy } from './structure/targets';
