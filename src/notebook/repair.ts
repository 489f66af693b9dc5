/** From a failed cell of a notebook to the error that a session fixes. */
import type { ExecutionError } from '../core/domain/execution';
import type { KernelFailure, RepairGoal } from '../core/domain/repair';
import { topLevel } from '../core/python/checks';
import { isForeignMagic, parsePython } from '../core/python/syntax';
import { namesOfCell } from '../core/python/names';

/** An error as the notebook shows it, without colours. */
export type ErrorOutput = Pick<
  ExecutionError,
  'name' | 'message' | 'traceback'
>;

/** Statements whose names outlast the cell on purpose; loop variables and imports do not. */
const DEFINING =
  /^(AssignStatement|UpdateStatement|FunctionDefinition|ClassDefinition|DecoratedStatement)$/;

/**
 * @param shown - null: the cell was edited since it failed, so that the error is not its own.
 * @param known - what the kernel knows of it, if it was its last error.
 */
export function repairGoal(
  source: string,
  language: string,
  shown: ErrorOutput | null,
  known: KernelFailure | null
): RepairGoal {
  const names = definedNames(source, language);
  if (!shown) {
    return { names, changed: [] };
  }
  return {
    error: {
      ...shown,
      ...(known ? { candidateLine: known.line } : {}),
      ...(known && known.locals.length > 0 ? { locals: known.locals } : {})
    },
    ...(known?.call ? { call: known.call } : {}),
    names,
    changed: known?.changed ?? []
  };
}

/** Names that a cell assigns or defines at its top level, in order. */
function definedNames(source: string, language: string): string[] {
  if (language !== 'python' || isForeignMagic(source)) {
    return [];
  }
  const { root, text } = parsePython(source);
  const names = topLevel(root)
    .filter(({ name }) => DEFINING.test(name))
    .flatMap(({ from, to }) => [...namesOfCell(text.slice(from, to)).binds]);
  return [...new Set(names)];
}
