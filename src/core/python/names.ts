/** Which names a Python cell reads and binds. */
import type { SyntaxNode } from '@lezer/common';
import { recent } from '../text/recent';
import { children, parsePython } from './syntax';

type PythonNames = {
  /** Not those that an inner scope of the cell binds. */
  readonly reads: ReadonlySet<string>;
  /** At the top level of the cell, imports included. */
  readonly binds: ReadonlySet<string>;
  /** Those of `binds` that an import binds. */
  readonly imports: ReadonlySet<string>;
};

const INNER_SCOPES =
  /^(FunctionDefinition|ClassDefinition|LambdaExpression|\w*ComprehensionExpression)$/;

/** The names of a whole cell. */
export const namesOfCell = recent((source): PythonNames => {
  const { root, text } = parsePython(source);
  return new Scope(root, text);
});

class Scope {
  constructor(
    root: SyntaxNode,
    private readonly text: string
  ) {
    children(root).forEach(node => this.visit(node));
  }

  readonly reads = new Set<string>();
  readonly binds = new Set<string>();
  readonly imports = new Set<string>();

  private visit(node: SyntaxNode): void {
    const { name } = node;
    if (INNER_SCOPES.test(name)) {
      this.visitInner(node);
    } else if (name === 'ImportStatement') {
      for (const bound of importedNames(this.textOf(node))) {
        this.binds.add(bound);
        this.imports.add(bound);
      }
    } else if (name === 'VariableName') {
      if (isBinding(node)) {
        this.binds.add(this.textOf(node));
      } else if (!isKeyword(node)) {
        this.reads.add(this.textOf(node));
      }
    } else if (name !== 'ScopeStatement') {
      const [target] = children(node);
      if (name === 'UpdateStatement' && target?.name === 'VariableName') {
        this.binds.add(this.textOf(target));
      }
      children(node).forEach(child => this.visit(child));
    }
  }

  /** A function, class, lambda or comprehension: its own names stay inside. */
  private visitInner(node: SyntaxNode): void {
    const name = /Definition$/.test(node.name) && node.getChild('VariableName');
    if (name) {
      this.binds.add(this.textOf(name));
    }
    const inner = new Scope(node, this.text);
    const globals = (node.getChild('Body')?.getChildren('ScopeStatement') ?? [])
      .flatMap(statement => statement.getChildren('VariableName'))
      .map(variable => this.textOf(variable));
    for (const global of globals) {
      inner.binds.delete(global);
      this.binds.add(global);
    }
    for (const read of inner.reads) {
      if (!inner.binds.has(read)) {
        this.reads.add(read);
      }
    }
  }

  private textOf({ from, to }: SyntaxNode): string {
    return this.text.slice(from, to);
  }
}

/** What an import statement binds. */
function importedNames(source: string): readonly string[] {
  const words = source.replace(/#.*$/gm, '').replace(/[()\\]/g, ' ');
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
  let { parent } = node;
  while (
    parent &&
    /^(Tuple|Array|Parenthesized)Expression$/.test(parent.name)
  ) {
    child = parent;
    ({ parent } = parent);
  }
  const before = child.prevSibling?.name;
  switch (parent?.name) {
    case 'AssignStatement':
      return (
        namesBeside(child, 'nextSibling').includes('AssignOp') ||
        child.nextSibling?.name === 'TypeDef'
      );
    case 'NamedExpression':
      return before === undefined;
    case 'ForStatement':
      return namesBeside(child, 'nextSibling').includes('in');
    case 'WithStatement':
    case 'TryStatement':
    case 'AsPattern':
    case 'TypeDefinition':
      return before === 'as' || before === 'type';
    case 'ParamList':
      return before !== 'AssignOp';
    case 'CapturePattern':
    case 'StarPattern':
    case 'FunctionDefinition':
    case 'ClassDefinition':
      return true;
    default:
      // Between `for` and `in`.
      return (
        /ComprehensionExpression$/.test(parent?.name ?? '') &&
        namesBeside(child, 'nextSibling').includes('in') &&
        namesBeside(child, 'prevSibling').find(name =>
          /^(for|in|if)$/.test(name)
        ) === 'for'
      );
  }
}

/** The siblings on one side, the nearest first. */
function namesBeside(
  node: SyntaxNode,
  side: 'nextSibling' | 'prevSibling'
): readonly string[] {
  const found: string[] = [];
  for (let next = node[side]; next; next = next[side]) {
    found.push(next.name);
  }
  return found;
}

/** The name of a keyword argument: `f(k=3)`. */
function isKeyword(node: SyntaxNode): boolean {
  return (
    node.parent?.name === 'ArgList' && node.nextSibling?.name === 'AssignOp'
  );
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
