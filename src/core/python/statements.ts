/** The top-level statements of a Python cell: which of them check something, which only set up. */
import type { SyntaxNode } from '@lezer/common';
import type { Statement, StatementKind } from '../languages/statement';

/** Calls that check although their name does not start with `assert`. */
const CHECKING_CALLS =
  /(^|\.)(testing\.\w+|test_\w*|assert\w*)$|^(doctest\.(testmod|run_docstring_examples)|unittest\.main|pytest\.main|ipytest\.run|grader\.check)$/;
const CHECKING_CONTEXTS =
  /(^|\.)(raises|warns|deprecated_call|assert[A-Z_]\w*)$/;
/** Contexts that only keep what is printed in them, or replace what the code under test uses. */
const KEEPING_CONTEXTS = /(^|\.)(redirect_std(out|err)|patch(\.\w+)?)$/;
/** Calls whose value nobody needs and that prepare what a check compares. */
const SETTING_CALLS =
  /(^|\.)(print|display|show|clear_output|close|seed|manual_seed|set_seed|set_option|set_printoptions|filterwarnings|simplefilter|use)$/;

const COMPOUND = new Set([
  'IfStatement',
  'WhileStatement',
  'ForStatement',
  'TryStatement',
  'WithStatement',
  'MatchStatement'
]);
const SETTING_STATEMENTS = new Set([
  'ImportStatement',
  'AssignStatement',
  'UpdateStatement',
  'DeleteStatement',
  'PassStatement',
  'ScopeStatement',
  'TypeDefinition',
  'FunctionDefinition',
  'ClassDefinition'
]);

/** Top-level statements in order; `binds` are the names that the cell itself binds. */
export function pythonStatements(
  root: SyntaxNode,
  text: string,
  binds: ReadonlySet<string>
): readonly Statement[] {
  const lines = lineCounter(text);
  const nodes = topLevel(root);
  const helpers = nodes
    .filter(node => node.name === 'FunctionDefinition' && isHelper(node, text))
    .map(node => definedName(node, text));
  return nodes.map(node => ({
    kind: isCallOf(helpers, node, text) ? 'check' : kindOf(node, text, binds),
    line: lines(node.from),
    from: node.from,
    to: node.to
  }));
}

/** A function that only asserts: one that returns a value may be the work of the cell. */
function isHelper(node: SyntaxNode, text: string): boolean {
  const source = text.slice(node.from, node.to);
  return (
    /\bassert\b|\braise\s+AssertionError\b/.test(source) &&
    !/\b(?:return|yield)[ \t]+\S/.test(source)
  );
}

function isCallOf(
  names: readonly string[],
  node: SyntaxNode,
  text: string
): boolean {
  return (
    node.name === 'ExpressionStatement' &&
    names.includes(callee(node.firstChild, text))
  );
}

/** The statements of a module or a body. */
export function topLevel(body: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let node = body.firstChild; node; node = node.nextSibling) {
    if (node.name === 'StatementGroup') {
      found.push(...topLevel(node));
    } else if (
      node.name !== 'Comment' &&
      (/Statement$|Definition$/.test(node.name) || node.type.isError)
    ) {
      found.push(node);
    }
  }
  return found;
}

function kindOf(
  node: SyntaxNode,
  text: string,
  binds: ReadonlySet<string>
): StatementKind {
  if (checks(node, text)) {
    return 'check';
  }
  if (node.name === 'DecoratedStatement') {
    return 'set-up';
  }
  if (node.name === 'ExpressionStatement') {
    return expressionSetsUp(node.firstChild, text, binds) ? 'set-up' : 'other';
  }
  if (contextCallees(node, text).some(name => KEEPING_CONTEXTS.test(name))) {
    return 'set-up';
  }
  if (COMPOUND.has(node.name)) {
    const inner = bodies(node).flatMap(body => topLevel(body));
    return inner.every(child => kindOf(child, text, binds) !== 'other')
      ? 'set-up'
      : 'other';
  }
  return SETTING_STATEMENTS.has(node.name) ? 'set-up' : 'other';
}

/** True when running this statement can fail because a result is wrong. */
function checks(node: SyntaxNode, text: string): boolean {
  switch (node.name) {
    case 'AssertStatement':
      return true;
    case 'RaiseStatement':
      return /\bAssertionError\b/.test(text.slice(node.from, node.to));
    case 'ExpressionStatement':
      return CHECKING_CALLS.test(callee(node.firstChild, text));
    case 'DecoratedStatement':
      return node.lastChild !== null && checks(node.lastChild, text);
    case 'FunctionDefinition':
      return definedName(node, text).startsWith('test');
    case 'ClassDefinition':
      return isTestClass(node, text);
    case 'WithStatement':
      if (
        contextCallees(node, text).some(name => CHECKING_CONTEXTS.test(name))
      ) {
        return true;
      }
      break;
    default:
      if (!COMPOUND.has(node.name)) {
        return false;
      }
  }
  return bodies(node).some(body =>
    topLevel(body).some(child => checks(child, text))
  );
}

function isTestClass(node: SyntaxNode, text: string): boolean {
  const bases = node.getChild('ArgList');
  if (bases && /\bTestCase\b/.test(text.slice(bases.from, bases.to))) {
    return true;
  }
  const body = node.getChild('Body');
  return (
    definedName(node, text).startsWith('Test') &&
    body !== null &&
    topLevel(body).some(
      child => child.name.endsWith('Definition') && checks(child, text)
    )
  );
}

function expressionSetsUp(
  expression: SyntaxNode | null,
  text: string,
  binds: ReadonlySet<string>
): boolean {
  if (!expression) {
    return false;
  }
  if (/String$|^Ellipsis$|^\.\.\.$/.test(expression.name)) {
    return true;
  }
  const name = callee(expression, text);
  return (
    SETTING_CALLS.test(name) ||
    (name.includes('.') && binds.has(name.replace(/\..*$/s, ''))) ||
    isGivenOwn(expression, text, binds)
  );
}

/** A call with a variable of the cell as argument: `add_item(cart, 3)` before `assert cart == [3]`. */
function isGivenOwn(
  expression: SyntaxNode,
  text: string,
  binds: ReadonlySet<string>
): boolean {
  const given = expression.getChild('ArgList')?.getChildren('VariableName');
  return (given ?? []).some(node => {
    const name = text.slice(node.from, node.to);
    return (
      // The name of a keyword argument is none.
      node.nextSibling?.name !== 'AssignOp' &&
      binds.has(name) &&
      !isLoopVariable(node, name, text)
    );
  });
}

function isLoopVariable(
  inside: SyntaxNode,
  name: string,
  text: string
): boolean {
  for (let node = inside.parent; node; node = node.parent) {
    if (node.name === 'ForStatement') {
      const [target] = text.slice(node.from, node.to).split(/\bin\b/);
      if (target?.match(/\w+/g)?.includes(name)) {
        return true;
      }
    }
  }
  return false;
}

/** Dotted name of what an expression calls; empty when it is no such call. */
function callee(expression: SyntaxNode | null, text: string): string {
  let node = expression;
  if (node?.name === 'AwaitExpression') {
    node = node.lastChild;
  }
  const called = node?.name === 'CallExpression' ? node.firstChild : null;
  return called ? text.slice(called.from, called.to).replace(/\s/g, '') : '';
}

function contextCallees(node: SyntaxNode, text: string): readonly string[] {
  return node.getChildren('CallExpression').map(call => callee(call, text));
}

function bodies(node: SyntaxNode): readonly SyntaxNode[] {
  const own = node.getChildren('Body');
  const match = node
    .getChildren('MatchBody')
    .flatMap(body => body.getChildren('MatchClause'))
    .flatMap(clause => clause.getChildren('Body'));
  return [...own, ...match];
}

function definedName(node: SyntaxNode, text: string): string {
  const name = node.getChild('VariableName');
  return name ? text.slice(name.from, name.to) : '';
}

/** Line numbers from 1 for offsets asked in rising order. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return offset => {
    for (; at < offset; at++) {
      if (text[at] === '\n') {
        line++;
      }
    }
    return line;
  };
}
