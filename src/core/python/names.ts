/** Which names a Python cell reads and binds. */
import type { SyntaxNode } from '@lezer/common';
import { recent } from '../text/recent';
import { parsePython } from './syntax';

type Scope = {
  readonly bound: Set<string>;
  readonly read: Set<string>;
};

type PythonNames = {
  readonly reads: ReadonlySet<string>;
  readonly binds: ReadonlySet<string>;
  readonly imports: ReadonlySet<string>;
};

const INNER_SCOPES =
  /^(FunctionDefinition|ClassDefinition|LambdaExpression|\w*ComprehensionExpression)$/;

/** The names of a whole cell. Reads of a name that its own inner scope binds are left out. */
export const namesOfCell = recent((source): PythonNames => {
  const { root, text } = parsePython(source);
  const imports = new Set<string>();
  const scope = scopeOf(root, text, imports);
  return { reads: scope.read, binds: scope.bound, imports };
});

function scopeOf(node: SyntaxNode, text: string, imports: Set<string>): Scope {
  const scope: Scope = { bound: new Set(), read: new Set() };
  for (let child = node.firstChild; child; child = child.nextSibling) {
    visit(child, scope, text, imports);
  }
  return scope;
}

function visit(
  node: SyntaxNode,
  scope: Scope,
  text: string,
  imports: Set<string>
): void {
  if (INNER_SCOPES.test(node.name)) {
    visitInner(node, scope, text, imports);
    return;
  }
  if (node.name === 'ImportStatement') {
    for (const name of importedNames(node, text)) {
      scope.bound.add(name);
      imports.add(name);
    }
    return;
  }
  if (node.name === 'ScopeStatement') {
    return;
  }
  if (node.name === 'VariableName') {
    const name = text.slice(node.from, node.to);
    if (isBinding(node)) {
      scope.bound.add(name);
    } else if (!isKeyword(node)) {
      scope.read.add(name);
    }
    return;
  }
  if (node.name === 'UpdateStatement' && node.firstChild) {
    const name = text.slice(node.firstChild.from, node.firstChild.to);
    if (node.firstChild.name === 'VariableName') {
      scope.bound.add(name);
    }
  }
  for (let child = node.firstChild; child; child = child.nextSibling) {
    visit(child, scope, text, imports);
  }
}

/** A function, class, lambda or comprehension: its own names stay inside. */
function visitInner(
  node: SyntaxNode,
  outer: Scope,
  text: string,
  imports: Set<string>
): void {
  if (/Definition$/.test(node.name)) {
    const name = node.getChild('VariableName');
    if (name) {
      outer.bound.add(text.slice(name.from, name.to));
    }
  }
  const inner = scopeOf(node, text, new Set());
  for (const global of declaredGlobal(node, text)) {
    inner.bound.delete(global);
    outer.bound.add(global);
  }
  for (const name of inner.read) {
    if (!inner.bound.has(name)) {
      outer.read.add(name);
    }
  }
}

function declaredGlobal(node: SyntaxNode, text: string): readonly string[] {
  const body = node.getChild('Body');
  return (body?.getChildren('ScopeStatement') ?? [])
    .flatMap(statement => statement.getChildren('VariableName'))
    .map(name => text.slice(name.from, name.to));
}

function importedNames(node: SyntaxNode, text: string): readonly string[] {
  const words = text
    .slice(node.from, node.to)
    .replace(/#.*$/gm, '')
    .replace(/[()\\]/g, ' ');
  const [, list = ''] =
    /^\s*(?:from\s+\S+\s+)?import\s+([\s\S]*)$/.exec(words) ?? [];
  return list
    .split(',')
    .map(part => {
      const [name = '', , alias] = part.trim().split(/\s+/);
      return alias ?? name.replace(/\..*$/s, '');
    })
    .filter(name => /^\w+$/.test(name));
}

/** True where the node is on the binding side of its statement. */
function isBinding(node: SyntaxNode): boolean {
  let child = node;
  let parent = node.parent;
  while (
    parent &&
    /^(Tuple|Array|Parenthesized)Expression$/.test(parent.name)
  ) {
    child = parent;
    parent = parent.parent;
  }
  if (!parent) {
    return false;
  }
  const before = child.prevSibling?.name;
  switch (parent.name) {
    case 'AssignStatement':
      return (
        (child.nextSibling !== null && standsBefore(child, 'AssignOp')) ||
        child.nextSibling?.name === 'TypeDef'
      );
    case 'NamedExpression':
      return before === undefined;
    case 'ForStatement':
      return standsBefore(child, 'in');
    case 'WithStatement':
    case 'TryStatement':
    case 'AsPattern':
      return before === 'as';
    case 'ParamList':
      return before !== 'AssignOp';
    case 'CapturePattern':
    case 'StarPattern':
      return true;
    case 'FunctionDefinition':
    case 'ClassDefinition':
    case 'TypeDefinition':
      return true;
    case 'DeleteStatement':
      return false;
    default:
      return (
        /ComprehensionExpression$/.test(parent.name) &&
        standsBefore(child, 'in') &&
        nearestBefore(child) === 'for'
      );
  }
}

/** The name of a keyword argument: `f(k=3)`. */
function isKeyword(node: SyntaxNode): boolean {
  return (
    node.parent?.name === 'ArgList' && node.nextSibling?.name === 'AssignOp'
  );
}

function standsBefore(node: SyntaxNode, name: string): boolean {
  for (let next = node.nextSibling; next; next = next.nextSibling) {
    if (next.name === name) {
      return true;
    }
  }
  return false;
}

/** Which of `for`, `in` and `if` comes nearest before the node. */
function nearestBefore(node: SyntaxNode): string | null {
  for (let last = node.prevSibling; last; last = last.prevSibling) {
    if (/^(for|in|if)$/.test(last.name)) {
      return last.name;
    }
  }
  return null;
}

const BUILTINS: ReadonlySet<string> = new Set(
  (
    'BaseException BaseExceptionGroup Ellipsis Exception ExceptionGroup ' +
    'False GeneratorExit In KeyboardInterrupt None NotImplemented Out ' +
    'StopAsyncIteration StopIteration SystemExit True __file__ __name__ abs ' +
    'aiter all anext any ascii bin bool breakpoint bytearray bytes callable ' +
    'chr classmethod cls compile complex copyright credits delattr dict dir ' +
    'display divmod enumerate eval exec exit filter float format frozenset ' +
    'get_ipython getattr globals hasattr hash help hex id input int ' +
    'isinstance issubclass iter len license list locals map max memoryview ' +
    'min next object oct open ord pow print property quit range repr ' +
    'reversed round self set setattr slice sorted staticmethod str sum ' +
    'super tuple type vars zip'
  ).split(' ')
);

/** True for a name that Python and IPython define in every cell. */
export function isBuiltin(name: string): boolean {
  return BUILTINS.has(name) || /^[A-Z]\w*(Error|Warning)$/.test(name);
}
