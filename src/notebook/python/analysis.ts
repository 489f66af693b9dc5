/** What a cell's source does, as far as that is known without running it. */
import type { SyntaxNode } from '@lezer/common';
import { checkingStatements } from '../../core/domain/checks/numberedChecks';
import {
  pythonStatements,
  type PythonStatement
} from '../../core/python/checks';
import { isForeignMagic, parsePython } from '../../core/python/syntax';
import { namesOfCell } from '../../core/python/names';
import { scriptStatements } from '../../core/languages/script';
import type { Statement } from '../../core/languages/language';
import { recent } from '../../core/text/recent';

type SourceAnalysis = ReturnType<typeof analysePython>;

/** More cells than a notebook has: analyses are requested again at every change of it. */
const REMEMBERED = 4096;

/** By language, line break and source. */
const analysed = recent((text): SourceAnalysis => {
  const [language = ''] = text.split('\n', 1);
  const source = text.slice(language.length + 1);
  if (isForeignMagic(source)) {
    return analysePython('');
  }
  if (language === 'python') {
    return analysePython(source);
  }
  const statements = scriptStatements(source, language);
  const working = statements.filter(({ kind }) => kind !== 'set-up');
  return {
    ...analysePython(''),
    statements,
    checks: checkingStatements(source, language).length,
    isTest: working.length > 0 && working.every(({ kind }) => kind === 'check')
  };
}, REMEMBERED);

/**
 * Statements and names of a source. Python is parsed; R, Julia and other
 * languages are read by lines, without names.
 */
export function analyse(source: string, language: string): SourceAnalysis {
  return analysed(`${language}\n${source}`);
}

/** True for imports, and lines such as `%run ../stack.py`, and nothing else. */
export function onlySetsUp(source: string, language: string): boolean {
  const { statements, binds, imports } = analyse(source, language);
  return (
    source.trim() !== '' &&
    !isForeignMagic(source) &&
    binds.size === imports.size &&
    statements.every(({ kind }) => kind === 'set-up')
  );
}

/** The tests that a cell writes to a file, for `%run` below it; null for any other cell. */
export function writtenTests(source: string): string | null {
  const file = /^\s*%%(?:write)?file +\S*test\S*\.py\s*\n([^]*)/i.exec(source);
  return file?.[1] ?? null;
}

function analysePython(source: string) {
  const statements = pythonStatements(source);
  const checks = statements.filter(({ kind }) => kind === 'check').length;
  const names = namesOfCell(source);
  // `f(puzzle)` below the definition of `f` and its examples.
  const shown = checksOwnWork(source, statements) && statements.at(-1);
  const isRemark = (one: PythonStatement) => {
    const text = source.slice(one.from, one.to);
    const isShown = one === shown && !ACTS.test(text);
    return one.kind === 'other' && (isShown || REMARK.test(text));
  };
  // The last statements that only check, or remark on it.
  const tail = statements.slice(
    statements.findLastIndex(
      one => one.kind !== 'check' && !one.helps && !isRemark(one)
    ) + 1
  );
  while (tail[0] && isRemark(tail[0])) {
    tail.shift();
  }
  const endsWithCheck = tail.some(({ kind }) => kind === 'check');
  const defined = (asHelper: boolean) =>
    statements.flatMap(({ helps, defines }) =>
      helps === asHelper && defines ? [defines] : []
    );
  const helpers = new Set(defined(true));
  const defines: readonly string[] = defined(false);
  // `_` or `_12` is what the kernel has shown last: no other kernel has shown that.
  const readsOutput = [...names.reads].some(
    name => /^_(?:_{0,2}|\d+)$/.test(name) && !names.binds.has(name)
  );
  const isMade = (name: string) =>
    !names.imports.has(name) && !helpers.has(name);
  const made = [...names.binds].filter(isMade);
  return {
    ...names,
    statements: statements as readonly Statement[],
    /** Number of statements that check something where they stand. */
    checks,
    /** A person would call the cell a test: it ends with checks, or has them and makes nothing, and checks nothing that it defines itself. */
    isTest:
      (endsWithCheck || (checks > 0 && made.length === 0)) &&
      !readsOutput &&
      !checksOwnWork(source, statements),
    /** Offset of the checks at the end of a cell that holds something above them; null where there are none. */
    ownChecks: endsWithCheck ? startOf(tail[0]!, source) : null,
    /** Names that calls of tests are handed first, beside no function of the cell: `add` of `test_sum(add)`. */
    handed: statements.flatMap(({ kind, from, to }): readonly string[] => {
      const [call = '', name] =
        (kind === 'check' && HANDED.exec(source.slice(from, to))) || [];
      if (!name) {
        return [];
      }
      const { reads } = namesOfCell(source.slice(from + call.length, to));
      return defines.some(own => reads.has(own)) ? [] : [name];
    }),
    /** Functions and classes that it defines, those of {@link helpers} aside. */
    defines,
    /** Those of `binds` that are tests, or functions that only check. */
    helpers: helpers as ReadonlySet<string>,
    /** Names that it binds or whose objects it changes in place; no imports, no helpers. */
    makes: new Set([
      ...made,
      ...changedNames(source).filter(isMade)
    ]) as ReadonlySet<string>
  };
}

const HANDED = /^(?:\w+\.)*(?!assert)\w+\(\s*([^\W\d]\w*)\s*[,)]/;
/** Prints something, shows a plot, or ends the cell with a name. */
const REMARK = /^(?:(?:print|display)\([^]*\)|(?:\w+\.)?show\(\s*\)|\w+)\s*;?$/;
/** The last statement, if it does more than show a value: a block, a command, or a call that changes its object. */
const ACTS =
  /^(?:for|while|if|with|try|async|match|raise|return|[%!])\b|^(?:[\w.]+\.)?(?:append|add|update|sort|extend|fit|compile|train|execute|commit|run|main)\w*\(/;
/** `f = lambda …`, and a blank: `x = ...`, `x = ____`, `x = <YOUR CODE>`, `x = # TODO`. */
const MADE =
  /^(\w+)\s*=\s*(?:lambda\b|(?:\.\.\.|_{2,}|<[A-Z][^<>\n]*>)?\s*(?:#.*)?$)/;

/** A call of tests that are written elsewhere, of what is defined here: `run_tests()`. */
const BARE_CALL = /^\w+\(\s*\)/;
/** `q1.check()`, `grader.check("q1")`: what is checked has no name here. */
const NAMELESS = /^\w+\.(?:check|grade)\(\s*(?:(["'])[^"']*\1\s*)?\)/;

/** True for a cell that defines something and checks it: a task with its checks. */
function checksOwnWork(
  source: string,
  statements: readonly PythonStatement[]
): boolean {
  const textOf = ({ from, to }: Statement) => source.slice(from, to);
  const work = statements.flatMap(one =>
    one.helps ? [] : (one.defines ?? MADE.exec(textOf(one))?.[1] ?? [])
  );
  const checks = statements
    .filter(({ kind, helps }) => kind === 'check' || helps)
    .map(textOf);
  const checked = checks.map(text => namesOfCell(text).reads);
  const { binds, imports } = namesOfCell(source);
  const areAll = (form: RegExp) =>
    checks.length > 0 && checks.every(text => form.test(text));
  return (
    work.some(name => checked.some(reads => reads.has(name))) ||
    (work.length > 0 && areAll(BARE_CALL)) ||
    (binds.size > imports.size && areAll(NAMELESS))
  );
}

/** The start of its line, with the comments right above it; null where something but a magic stands before it in the line, or nothing above. */
function startOf({ from }: Statement, source: string): number | null {
  const lineStart = source.lastIndexOf('\n', from - 1) + 1;
  if (!/^\s*(?:%time(?:it)?\s)?\s*$/.test(source.slice(lineStart, from))) {
    return null;
  }
  const above = source.slice(0, lineStart);
  const work = above.replace(/(?:^[ \t]*#.*\n)+(?![^])/m, '');
  // A comment that is all there is above is the task.
  const kept = work.trim() === '' ? above : work;
  return kept.trim() === '' ? null : kept.length;
}

const VERBS =
  'append|add|update|sort|reverse|insert|extend|remove|discard|pop|clear|setdefault|fit|fit_transform|partial_fit|compile|train|execute|executescript|commit';
/** What changes its object, as far as names say; `df.head()` only shows something. */
const CHANGING = new RegExp(`\\.(?:${VERBS}|set_\\w+|add_\\w+)$`);
/** A call such as `train_model(a, x)`, which changes its first argument. */
const CHANGING_CALL = new RegExp(
  `^(?:${VERBS})(?:_\\w+)?\\(\\s*(\\w+)\\s*[,)]`
);

/** `@add_to_class(Net)`, `@patch_to(Net)`, `@patch def area(self: Net)`: the class that gets a method. */
const ADDED_METHOD =
  /^@(?:\w+\.)?(?:(?:add_to_class|patch_to)\(\s*(\w+)|patch\b.*\n(?:@.*\n)*(?:async +)?def \w+\(\s*\w+ *: *(\w+))/;

/** Names at the start of `a.b = …`, `a[i] += …`, `del a[i]`, `a.append(…)` and calls with `inplace=True`, `a` of `train(a)`, and classes that get a method. */
function changedNames(source: string): readonly string[] {
  const { root, text } = parsePython(source);
  const textOf = ({ from, to }: SyntaxNode) => text.slice(from, to);
  const found: (string | undefined)[] = [];
  root.cursor().iterate(({ name, node }) => {
    const [, kind] = /^(Assign|Update|Delete)Statement$/.exec(name) ?? [];
    const end = kind === 'Delete' ? null : `${kind}Op`;
    const changed = kind ? node.getChildren('MemberExpression', null, end) : [];
    if (name === 'DecoratedStatement') {
      found.push(...(ADDED_METHOD.exec(textOf(node))?.slice(1) ?? []));
    } else if (name === 'ExpressionStatement') {
      const calls = node
        .getChildren('CallExpression')
        .filter(
          call =>
            CHANGING.test(textOf(call.firstChild!)) ||
            /\binplace\s*=\s*True\b/.test(textOf(call))
        );
      changed.push(...calls);
      found.push(CHANGING_CALL.exec(textOf(node))?.[1]);
    }
    found.push(...changed.map(one => /^\w+(?=\s*[.[])/.exec(textOf(one))?.[0]));
    return !/^(Function|Class)Definition$|^Lambda/.test(name);
  });
  return found.flatMap(name => name ?? []);
}
