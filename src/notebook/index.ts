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
export { limitByPolicy, resolveOptions } from './options';
export { applyOutcome, withLinkedTargets } from './edits';
export type { CellEdit } from './edits';
export { cellsAbove } from './structure/cellsAbove';
export type { CellAbove } from './structure/cellsAbove';
export { namesToInspect } from './structure/names';
export { decideOnPass, isHarmless } from './onPass';
export { fingerprint, planTarget, plannedChecks } from './plan';
export { positionOfId } from './structure/perNotebook';
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
