/**
 * The top-level statements of a Python cell, and which of them a person would
 * call a test. The kernel counts what has run; this says it before anything runs.
 */
import type { SyntaxNode } from '@lezer/common';
import type { Statement } from '../languages/language';
import { recent } from '../text/recent';
import { children, isForeignMagic, parsePython, undecorated } from './syntax';

export type PythonStatement = Statement & {
  /** Name of the function or class that it defines. */
  readonly defines: string | null;
  /** It defines a test, or a function that only checks: none of it is the work of the cell. */
  readonly helps: boolean;
};

/** Calls that are made to check, by name: `np.testing.assert_allclose`, `test_add`, `add_test`, `check_answer`. */
const CHECKING_CALL =
  /(^|\.)(assert\w*|testing\.\w+|test_\w*|\w+_tests?|check_\w*|run_?tests|public_tests?|grade_\w*)$|^(test|tests|check|verify|validate|grade|expect)$|^(grader|ok|q\w*|step\w*|task\w*|ex\w*)(\.\w+)?\.(check|grade)$/i;
const CAMEL_CASE_CALL = /(^|\.)test[A-Z]\w*$/;
/** Calls that run tests, wherever they stand: `result = unittest.main(exit=False)`. */
const FRAMEWORK_CALL =
  /^(unittest|pytest|ipytest|nose)\.(main|run|runmodule|run_docstring_examples)$|(^|\.)(testmod|testfile|run_docstring_examples|DocTestRunner|TextTestRunner|run_doctests?)\b/;
const CHECKING_CONTEXT =
  /(^|\.)(raises|warns|deprecated_call|assert[A-Z_]\w*)$/;
const TEST_NAME = /^_?(test|check|verify|validate)|_tests?$/i;
/** Of a function that tests others, even if it only prints what it finds. */
const RUNS_TESTS = /^_?(run_?)?tests?(_|$)/i;
/** A file of tests that IPython runs, and cell magics that run the tests below them. */
const RUN_LINE = /^[ \t]*%run\s.*?\S*test\S*/i;
/** Decorators of a test function, all but those that only remember its results. */
const GIVES_ARGUMENTS = /^(?!@[\w.]*cache\b.*\s*$)@/;
const TEST_MAGIC = /^\s*%%(i|run_)?pytest\b|^\s*%%unittest/;
/** An assert of what is installed, which no code of the notebook changes. */
const OF_LIBRARY = /\b(?:__version__|version_info|version\.parse)\b/;
/** What runs later, if at all. */
const DEFERRED = /^(FunctionDefinition|ClassDefinition|LambdaExpression)$/;
const SET_UP =
  /^(Import|Assign|Update|Delete|Pass|Scope)Statement$|Definition$/;

/** Statements in order, those of magics that run tests among them. */
export const pythonStatements = recent((source): readonly PythonStatement[] => {
  if (isForeignMagic(source)) {
    return [];
  }
  const { root, text } = parsePython(source);
  const found = topLevel(root).map(node => {
    const definition = definitionOf(node, text);
    return { node, definition, own: definition ? IDLE : activity(node, text) };
  });
  const definitions = found.flatMap(({ definition }) => definition ?? []);
  const helpers = findHelpers(definitions);
  const running = found.flatMap(({ own }) => own.calls);
  // What a helper calls is called where the helper is.
  const called = new Set(
    [
      ...running,
      ...definitions.flatMap(({ name, inside }) =>
        helpers.has(name) ? inside.calls : []
      )
    ].flatMap(({ name }) => name.split('.'))
  );
  const runsAll = running.some(({ name }) => FRAMEWORK_CALL.test(name));
  let line = 1;
  let counted = 0;
  const statements = found.map(({ node, definition, own }): PythonStatement => {
    const { from, to } = node;
    line += source.slice(counted, from).split('\n').length - 1;
    counted = from;
    const place = { line, from, to };
    if (!definition) {
      // A loop that is to be filled in is no check of what it loops over.
      const isOpen = /[^=!<>]=\s*_{4}/.test(text.slice(from, to));
      const kind =
        isCheck(own, helpers) && !isOpen
          ? 'check'
          : SET_UP.test(node.name)
            ? 'set-up'
            : 'other';
      return { ...place, kind, defines: null, helps: false };
    }
    const { name, isTest } = definition;
    const isRun = isTest && !called.has(name) && !runsAll;
    return {
      ...place,
      kind: isRun ? 'check' : 'set-up',
      defines: name,
      helps: isTest || helpers.has(name)
    };
  });
  return withRunLines(source, statements);
});

/** The checking statements: those of {@link pythonStatements} that make up a first count of k of n. */
export function pythonChecks(source: string): readonly PythonStatement[] {
  return pythonStatements(source).filter(({ kind }) => kind === 'check');
}

type Activity = {
  /** An assert, or a `raise` under a condition. */
  readonly fails: boolean;
  readonly calls: readonly {
    readonly name: string;
    /** Its value is not used. */
    readonly alone: boolean;
  }[];
};

/** What a definition does where it stands. */
const IDLE: Activity = { fails: false, calls: [] };

type Definition = {
  readonly name: string;
  /** A test that is run where nothing calls it. */
  readonly isTest: boolean;
  readonly returns: boolean;
  readonly inside: Activity;
};

function isCheck(
  { fails, calls }: Activity,
  helpers: ReadonlySet<string>
): boolean {
  return (
    fails ||
    calls.some(
      ({ name, alone }) =>
        FRAMEWORK_CALL.test(name) ||
        (alone &&
          (CHECKING_CALL.test(name) ||
            CAMEL_CASE_CALL.test(name) ||
            helpers.has(name)))
    )
  );
}

/** Functions that check when they are called: a result is no use of theirs, or their name says so. */
function findHelpers(definitions: readonly Definition[]): ReadonlySet<string> {
  const helpers = new Set<string>();
  for (let before = -1; before < helpers.size;) {
    before = helpers.size;
    for (const { name, returns, isTest, inside } of definitions) {
      if (
        isTest ||
        RUNS_TESTS.test(name) ||
        ((!returns || TEST_NAME.test(name)) && isCheck(inside, helpers))
      ) {
        helpers.add(name);
      }
    }
  }
  return helpers;
}

/** What a statement does when it runs: definitions in it do nothing. */
function activity(node: SyntaxNode, text: string, inside = false): Activity {
  let fails = false;
  const calls: Activity['calls'][number][] = [];
  node.cursor().iterate(({ name, node: part }) => {
    if (DEFERRED.test(name) && !inside) {
      return false;
    }
    if (name === 'AssertStatement') {
      fails ||= !OF_LIBRARY.test(text.slice(part.from, part.to));
    } else if (name === 'RaiseStatement') {
      const raised = text.slice(part.from, part.to);
      // `raise NotImplementedError` alone is a stub; a function may raise for its callers.
      const isCondition = !inside && part.from > node.from;
      fails ||=
        /\bAssertionError\b/.test(raised) ||
        (isCondition && /^raise\s+(?!NotImplemented)/.test(raised));
    } else if (name === 'CallExpression') {
      const outer = part.parent!;
      const statement =
        outer.name === 'AwaitExpression' ? outer.parent! : outer;
      const called = text.slice(part.from, part.firstChild!.to);
      const callee = called.replace(/\s/g, '');
      calls.push({ name: callee, alone: /^ExpressionS/.test(statement.name) });
      if (statement.name === 'WithStatement' && CHECKING_CONTEXT.test(callee)) {
        fails = true;
      }
    }
    return true;
  });
  return { fails, calls };
}

function definitionOf(node: SyntaxNode, text: string): Definition | null {
  const definition = undecorated(node);
  const name = textOf(definition.getChild('VariableName'), text);
  if (!/^(Function|Class)Definition$/.test(definition.name) || !name) {
    return null;
  }
  const body = definition.getChild('Body') ?? definition;
  const whole = text.slice(body.from, body.to);
  return {
    name,
    isTest:
      definition.name === 'ClassDefinition'
        ? isTestClass(definition, name, text)
        : name.startsWith('test') &&
          (GIVES_ARGUMENTS.test(text.slice(node.from, definition.from)) ||
            !needsArguments(definition.getChild('ParamList'))),
    returns:
      definition.name === 'ClassDefinition' ||
      // Also what a stub will return.
      /\b(?:return|yield)[ \t]+\S|\braise NotImpl/.test(whole),
    inside: activity(body, text, true)
  };
}

function isTestClass(node: SyntaxNode, name: string, text: string): boolean {
  const bases = textOf(node.getChild('ArgList'), text);
  return (
    /\bTestCase\b/.test(bases) ||
    (name.startsWith('Test') && /\bdef test/.test(textOf(node, text)))
  );
}

function needsArguments(parameters: SyntaxNode | null): boolean {
  return (parameters?.getChildren('VariableName') ?? []).some(
    ({ prevSibling, nextSibling }) => {
      const next =
        nextSibling?.name === 'TypeDef' ? nextSibling.nextSibling : nextSibling;
      return (
        !/^(AssignOp|\*|\*\*)$/.test(prevSibling?.name ?? '') &&
        next?.name !== 'AssignOp'
      );
    }
  );
}

/** The statements of a module or a body. */
export function topLevel(body: SyntaxNode): readonly SyntaxNode[] {
  return children(body).flatMap(node =>
    node.name === 'StatementGroup'
      ? topLevel(node)
      : /Statement$|Definition$/.test(node.name) || node.type.isError
        ? [node]
        : []
  );
}

/** Lines and cell magics that run tests, as checks between the statements. */
function withRunLines(
  source: string,
  statements: readonly PythonStatement[]
): readonly PythonStatement[] {
  const isRun = (line: string) => RUN_LINE.test(line) || TEST_MAGIC.test(line);
  if (!source.split('\n').some(isRun)) {
    return statements;
  }
  let from = 0;
  const runs = source.split('\n').flatMap((text, index) => {
    const place = { line: index + 1, from, to: from + text.length };
    from += text.length + 1;
    // The tests below a cell magic are counted themselves.
    const counts = isRun(text) && !(TEST_MAGIC.test(text) && statements.length);
    return counts
      ? [{ ...place, kind: 'check' as const, defines: null, helps: false }]
      : [];
  });
  return [...statements, ...runs].sort((a, b) => a.from - b.from);
}

function textOf(node: SyntaxNode | null, text: string): string {
  return node ? text.slice(node.from, node.to) : '';
}
