/** From a failed cell of a notebook to the error that a session fixes. */
import type { KernelFailure, RepairGoal } from '../core/domain/repair';
import { isForeignMagic } from '../core/python/magics';
import { namesOfCell } from '../core/python/names';
import { parsePython } from '../core/python/syntax';

/** An error as the notebook shows it, without colours. */
export type ErrorOutput = {
  readonly name: string;
  readonly message: string;
  readonly traceback: string;
};

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
export function definedNames(source: string, language: string): string[] {
  if (language !== 'python' || isForeignMagic(source)) {
    return [];
  }
  const { root, text } = parsePython(source);
  const names = new Set<string>();
  for (let node = root.firstChild; node; node = node.nextSibling) {
    const statements = node.name === 'StatementGroup' ? children(node) : [node];
    for (const statement of statements) {
      if (DEFINING.test(statement.name)) {
        namesOfCell(text.slice(statement.from, statement.to)).binds.forEach(
          name => names.add(name)
        );
      }
    }
  }
  return [...names];
}

function children(node: { readonly firstChild: unknown }) {
  type Node = ReturnType<typeof parsePython>['root'];
  const found: Node[] = [];
  for (
    let child = node.firstChild as Node | null;
    child;
    child = child.nextSibling
  ) {
    found.push(child);
  }
  return found;
}
