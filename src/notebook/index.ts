export { analyse } from './python/analysis';
export {
  cellAt,
  cellIds,
  CellTags,
  certainLanguage,
  cellsFromNotebook,
  hasTag,
  notebookLanguage,
  nbgraderMetadata,
  type CellContent,
  type NotebookCell,
  type NotebookContent
} from './structure/cells';
export { withTestsOf, type MasterNote } from './structure/master';
export { holdsHiddenData, splitSource } from './structure/hidden';
export { limitByPolicy, resolveOptions } from './options';
export { applyOutcome, withLinkedTargets, type CellEdit } from './edits';
export { cellsAbove, type CellAbove } from './structure/cellsAbove';
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
  lostChecks,
  type TargetPolicy
} from './structure/targets';
export { markedRole } from './structure/roles';
