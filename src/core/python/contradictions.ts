/**
 * Checks that no code passes, found in their source: `f(1) == 2` and `f(1) == 3`.
 *
 * Only plain cases count: the same call with literal arguments, nothing between
 * the two that may change what it gives, and no sign that the function remembers
 * its calls. A function that does makes such a pair right, so this is a reason to
 * ask, not to refuse.
 */
import type { SyntaxNode } from '@lezer/common';
import {
  certainlyDiffer,
  literalKey,
  literalOf,
  parts,
  sameLiteral,
  type Literal
} from './literals';
import { isForeignMagic } from './magics';
import { pythonNames } from './names';
import { parsePython } from './syntax';

/** A check in its cell. */
export type CheckPlace = {
  readonly cellId: string;
  /** From 1. */
  readonly line: number;
  readonly source: string;
};

export type Contradiction = readonly [first: CheckPlace, second: CheckPlace];

type Claim = {
  /** The call: the same text for each spelling of it. */
  readonly call: string;
  /** The function or class that it names. */
  readonly name: string;
  readonly says: 'is' | 'is-not' | 'holds' | 'fails';
  readonly value: Literal | null;
};

type Found = Claim & { readonly place: CheckPlace };

type Cell = {
  readonly cellId: string;
  readonly source: string;
};

/** Words of a function's name that say it changes something, or gives another value each time. */
const CHANGING =
  /^(?:next|pop|push|append|add|insert|remove|delete|del|discard|clear|set|reset|update|put|inc|incr|increment|dec|decrement|count|counter|tick|tock|step|advance|move|toggle|flip|switch|roll|draw|deal|spin|shuffle|sample|rand|random|randint|choice|seed|time|now|clock|sleep|wait|read|readline|write|open|close|input|send|recv|receive|fetch|poll|enqueue|dequeue|acquire|release|lock|deposit|withdraw|transfer|register|unregister|record|log|save|store|load|visit|hit|allow|cache|cached|lru|id|uuid|new|create|alloc|free|consume|take|book|buy|sell|call|calls|state|sequence|iter|feed|emit|process)$/;

/** What a task says of a function that remembers its calls. */
const REMEMBERING =
  /\b(?:stateful|states?|counters?|counts? (?:the |its |how many )?calls|(?:each|every|first|second|third|next|previous|last|subsequent|consecutive|successive|repeated|later) (?:time|call|invocation|use|request)s?|called (?:again|twice|repeatedly)|remembers?|toggles?|alternat\w+|random\w*|generators?|global|nonlocal|cach\w+|rate.?limit\w*)\b/i;

/** Functions of modules that only compare or measure. */
const COMPARING =
  /^(?:isclose|allclose|array_equal|array_equiv|approx|equal|isnan|isfinite|isinf|shape|sum|abs|sqrt|all|any|round|array)$/;

/**
 * @param cells - the visible checks in the order in which they run.
 * @param task - the prompt and what the target holds: what they say of state silences this.
 */
export function contradictions(
  cells: readonly Cell[],
  task: string
): readonly Contradiction[] {
  if (REMEMBERING.test(task)) {
    return [];
  }
  const reader = new Reader();
  for (const cell of cells) {
    // What another language does between two cells is not known.
    const source = isForeignMagic(cell.source) ? 'del x' : cell.source;
    const { root, text } = parsePython(source);
    reader.read(root, cell, text);
  }
  return reader.found
    .filter(([, , name]) => !reader.assigned.has(name))
    .map(([first, second]) => [first, second]);
}

class Reader {
  readonly found: (readonly [CheckPlace, CheckPlace, string])[] = [];
  /** Names that the checks give values: what they call is not the target's alone. */
  readonly assigned = new Set<string>();

  read(body: SyntaxNode, cell: Cell, text: string): void {
    for (let node = body.firstChild; node; node = node.nextSibling) {
      if (node.name === 'StatementGroup') {
        this.read(node, cell, text);
      } else {
        this._statement(node, cell, text);
      }
    }
  }

  private _statement(node: SyntaxNode, cell: Cell, text: string): void {
    switch (node.name) {
      case 'Comment':
      case 'PassStatement':
      case ':':
      case ';':
        return;
      case 'AssertStatement':
        this._assert(node, cell, text);
        return;
      case 'ImportStatement':
        this._binds(names(node, text));
        return;
      case 'ExpressionStatement':
        if (!changesNothing(node, text)) {
          this._claims = [];
        }
        return;
      case 'FunctionDefinition':
        this._function(node, cell, text);
        return;
      default:
        this._assigns(node, text);
        this._claims = [];
    }
  }

  private _assert(node: SyntaxNode, cell: Cell, text: string): void {
    const test = parts(node).find(child => child.name !== 'assert');
    if (!test || !changesNothing(test, text)) {
      this._claims = [];
      return;
    }
    const place: CheckPlace = {
      cellId: cell.cellId,
      line: text.slice(0, node.from).split('\n').length,
      source: text.slice(test.from, test.to)
    };
    for (const claim of claimsOf(test, text)) {
      const other = this._claims.find(before => contradict(before, claim));
      if (other) {
        this.found.push([other.place, place, claim.name]);
      } else {
        this._claims.push({ ...claim, place });
      }
    }
  }

  /** A test runs where it stands, by itself; another function runs when it is called. */
  private _function(node: SyntaxNode, cell: Cell, text: string): void {
    const named = node.getChild('VariableName');
    const name = named ? text.slice(named.from, named.to) : '';
    const body = node.getChild('Body');
    const params = node.getChild('ParamList');
    if (!name.startsWith('test') || !body || !params) {
      this.assigned.add(name);
      return;
    }
    this._claims = [];
    if (parts(params).length === 0) {
      this.read(body, cell, text);
      this._claims = [];
    }
  }

  private _assigns(node: SyntaxNode, text: string): void {
    for (const name of pythonNames(node, text).binds) {
      this.assigned.add(name);
    }
  }

  private _binds(bound: ReadonlySet<string>): void {
    if (bound.has('*') || this._claims.some(({ name }) => bound.has(name))) {
      this._claims = [];
    }
  }

  /** What was claimed since the last statement that may have changed something. */
  private _claims: Found[] = [];
}

function contradict(a: Claim, b: Claim): boolean {
  if (a.call !== b.call) {
    return false;
  }
  if (a.value && b.value) {
    return a.says === b.says
      ? a.says === 'is' && certainlyDiffer(a.value, b.value)
      : sameLiteral(a.value, b.value);
  }
  return !a.value && !b.value && a.says !== b.says;
}

/** What a test says of calls, where that is plain; the parts of an `and` each say something. */
function claimsOf(test: SyntaxNode, text: string): readonly Claim[] {
  const node = bare(test);
  const call = callOf(node, text);
  if (call) {
    return [{ ...call, says: 'holds', value: null }];
  }
  const [left, operator, right, ...more] = parts(node);
  if (!left || !operator || more.length > 0) {
    return [];
  }
  if (node.name === 'UnaryExpression') {
    const denied = left.name === 'not' ? callOf(bare(operator), text) : null;
    return denied ? [{ ...denied, says: 'fails', value: null }] : [];
  }
  if (node.name !== 'BinaryExpression' || !right) {
    return [];
  }
  if (operator.name === 'and') {
    return [...claimsOf(left, text), ...claimsOf(right, text)];
  }
  const says = COMPARISONS.get(text.slice(operator.from, operator.to));
  const compared =
    callOf(bare(left), text) ?? callOf(bare(right), text) ?? null;
  const value = literalOf(right, text) ?? literalOf(left, text);
  return says && compared && value ? [{ ...compared, says, value }] : [];
}

const COMPARISONS: ReadonlyMap<string, 'is' | 'is-not'> = new Map([
  ['==', 'is'],
  ['is', 'is'],
  ['!=', 'is-not']
]);

/** A call with literal arguments: of a function, or of a method of a new object. */
function callOf(
  node: SyntaxNode,
  text: string
): Pick<Claim, 'call' | 'name'> | null {
  const [callee, args] = parts(node);
  if (node.name !== 'CallExpression' || !callee || !args) {
    return null;
  }
  const given = argumentsOf(args, text);
  if (given === null) {
    return null;
  }
  const called = text.slice(callee.from, callee.to);
  if (callee.name === 'VariableName') {
    return given === '' ? null : { call: `${called}(${given})`, name: called };
  }
  const [object, , method] = parts(callee);
  const made =
    callee.name === 'MemberExpression' && object && method
      ? madeBy(object, text)
      : null;
  return made && method && given !== ''
    ? {
        call: `${made.call}.${text.slice(method.from, method.to)}(${given})`,
        name: made.name
      }
    : null;
}

/** `Solution()`, `Solution(3)`. */
function madeBy(
  node: SyntaxNode,
  text: string
): Pick<Claim, 'call' | 'name'> | null {
  const [callee, args] = parts(node);
  const given =
    node.name === 'CallExpression' && callee?.name === 'VariableName' && args
      ? argumentsOf(args, text)
      : null;
  const name = callee ? text.slice(callee.from, callee.to) : '';
  return given === null ? null : { call: `${name}(${given})`, name };
}

/** Literal arguments in one spelling; null where one is no literal. */
function argumentsOf(list: SyntaxNode, text: string): string | null {
  const given: string[] = [];
  const named: string[] = [];
  let keyword = '';
  for (const node of parts(list)) {
    if (node.name === 'AssignOp') {
      continue;
    }
    if (node.name === 'VariableName' && node.nextSibling?.name === 'AssignOp') {
      keyword = text.slice(node.from, node.to);
      continue;
    }
    const literal = literalOf(node, text);
    if (!literal) {
      return null;
    }
    const key = literalKey(literal);
    (keyword ? named : given).push(keyword ? `${keyword}=${key}` : key);
    keyword = '';
  }
  return [...given, ...named.sort()].join();
}

/** True when evaluating it can hardly change what a later call gives. */
function changesNothing(node: SyntaxNode, text: string): boolean {
  let calm = true;
  node.cursor().iterate(({ node: inner }) => {
    if (
      /^(?:NamedExpression|AwaitExpression|YieldExpression)$/.test(inner.name)
    ) {
      calm = false;
    } else if (inner.name === 'CallExpression') {
      calm &&= isCalmCall(inner, text);
    }
    return calm;
  });
  return calm;
}

function isCalmCall(call: SyntaxNode, text: string): boolean {
  const callee = call.firstChild;
  if (callee?.name === 'VariableName') {
    return !isChanging(text.slice(callee.from, callee.to));
  }
  const [object, , method] = callee ? parts(callee) : [];
  if (callee?.name !== 'MemberExpression' || !object || !method) {
    return false;
  }
  const name = text.slice(method.from, method.to);
  return object.name === 'VariableName'
    ? COMPARING.test(name)
    : /^(?:String|CallExpression)$/.test(object.name) && !isChanging(name);
}

/** `next_id`, `pushItem`. */
function isChanging(name: string): boolean {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .some(word => CHANGING.test(word));
}

function bare(node: SyntaxNode): SyntaxNode {
  const [inner, ...others] =
    node.name === 'ParenthesizedExpression' ? parts(node) : [];
  return inner && others.length === 0 ? bare(inner) : node;
}

/** All names that occur, and `*`. */
function names(node: SyntaxNode, text: string): ReadonlySet<string> {
  const found = new Set<string>();
  node.cursor().iterate(inner => {
    if (inner.name === 'VariableName' || inner.name === '*') {
      found.add(text.slice(inner.from, inner.to));
    }
  });
  return found;
}
