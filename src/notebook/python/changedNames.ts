/** Which objects a Python cell changes without binding their names. */
import { parsePython } from '../../core/python/syntax';

/** Methods that change their object, as far as names say; `df.head()` only shows something. */
const CHANGING =
  /^(?:append|add|update|sort|reverse|insert|extend|remove|discard|pop|clear|setdefault|fit|fit_transform|partial_fit|compile|train|execute|executescript|commit|set_\w+|add_\w+)$/;

/** Names at the start of `a.b = …`, `a[i] += …`, `del a[i]`, `a.append(…)` and calls with `inplace=True`. */
export function changedNames(source: string): ReadonlySet<string> {
  const { root, text } = parsePython(source);
  const found = new Set<string>();
  root.cursor().iterate(({ name, node }) => {
    if (/^(Function|Class)Definition$|^Lambda/.test(name)) {
      return false;
    }
    if (name === 'AssignStatement' || name === 'UpdateStatement') {
      const equals = node.getChild('AssignOp') ?? node.getChild('UpdateOp');
      for (const member of node.getChildren('MemberExpression')) {
        if (!equals || member.to <= equals.from) {
          add(text.slice(member.from, member.to));
        }
      }
    } else if (name === 'DeleteStatement') {
      node
        .getChildren('MemberExpression')
        .forEach(member => add(text.slice(member.from, member.to)));
    } else if (
      name === 'CallExpression' &&
      node.parent?.name === 'ExpressionStatement'
    ) {
      const callee = text.slice(node.from, node.firstChild!.to);
      const method = /\.(\w+)$/.exec(callee)?.[1] ?? '';
      if (
        CHANGING.test(method) ||
        /\binplace\s*=\s*True\b/.test(text.slice(node.from, node.to))
      ) {
        add(callee);
      }
    }
    return true;
  });
  function add(expression: string): void {
    const first = /^\w+(?=\s*[.[])/.exec(expression)?.[0];
    if (first) {
      found.add(first);
    }
  }
  return found;
}
