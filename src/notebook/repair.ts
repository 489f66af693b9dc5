/** From a failed cell of a notebook to the error that a session fixes. */
import type { ExecutionError } from '../core/domain/execution';
import type { KernelFailure, RepairGoal } from '../core/domain/repair';
import { analyse } from './python/analysis';

/** An error as the notebook shows it, without colours. */
export type ErrorOutput = Pick<
  ExecutionError,
  'name' | 'message' | 'traceback'
>;

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
      message: shown.message + (known?.similar ?? ''),
      ...(known ? { candidateLine: known.line } : {}),
      ...(known && known.locals.length > 0 ? { locals: known.locals } : {})
    },
    names,
    changed: known?.changed ?? []
  };
}

/** Names that a cell assigns or defines at its top level, in order: they outlast it on purpose, as loop variables and imports do not. */
function definedNames(source: string, language: string): string[] {
  const { statements, binds, imports, helpers } = analyse(source, language);
  const set = statements
    .filter(({ kind }) => kind === 'set-up')
    .flatMap(({ from, to }) => [
      ...analyse(source.slice(from, to), language).binds
    ]);
  return [...binds].filter(
    name => helpers.has(name) || (set.includes(name) && !imports.has(name))
  );
}
