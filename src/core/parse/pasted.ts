/** What an answer repeats of the prompt, or shows beyond the task: left out of the candidate. */
import { namesOfCell } from '../python/names';
import { children, parsePython } from '../python/syntax';
import { recent } from '../text/recent';

export type Around = {
  /** Sources of the visible checks. */
  readonly checks: readonly string[];
  /** Sources of the cells above that the prompt holds. */
  readonly above: readonly string[];
  /** The cell as it is: what it shows itself stays. */
  readonly cell: string;
  /** Names that the cell is there to define. */
  readonly needs: readonly string[];
  /** The task: one that speaks of examples or output gets them. */
  readonly prompt: string;
};

export type Pasted = {
  readonly code: string;
  readonly leftOut: string;
  readonly endsBeyond: boolean;
};

type Kind = 'check' | 'definition' | 'example';

type Statement = {
  /** Why it is left out; null: it stays. */
  kind: Kind | null;
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly reads: ReadonlySet<string>;
  readonly binds: ReadonlySet<string>;
};

const WORDS: Readonly<Record<Kind, string>> = {
  check: 'pasted check',
  definition: 'repeated definition',
  example: 'example'
};

/** Words of a task that asks for more than definitions. */
const ASKS_FOR_OUTPUT =
  /\b(?:print|show|display|plot|draw|output|example|call|run|demo)/i;

/**
 * Python without the top-level statements that are pasted checks, definitions of the
 * cells above as they are there, and, after all needed names are functions or classes
 * of the answer, calls that show them. Imports stay, and calls that the cell has itself. Nothing is left of an answer
 * that only repeats the checks; other code with nothing else stays whole.
 *
 * @returns `leftOut` as `3 pasted checks, 1 example`; empty where nothing was left out.
 * `endsBeyond`: the last statement is left out, after all that is needed.
 */
export function withoutPasted(code: string, around: Around): Pasted {
  const { root, text } = parsePython(code);
  const checks = new Set(around.checks.flatMap(statementsOf));
  const above = new Set(around.above.flatMap(statementsOf));
  const own = new Set(statementsOf(around.cell));
  const needs = new Set(around.needs);
  const defined = new Set(
    text
      .match(/^(?:async +def|def|class) +\w+/gm)
      ?.map(d => d.split(/ +/).at(-1)!)
  );
  /** Functions of the answer that test what it defines. */
  const tests = new Set<string>();
  const showsOff =
    needs.size > 0 &&
    !ASKS_FOR_OUTPUT.test(around.prompt) &&
    around.needs.every(name => defined.has(name));
  const testsItself = showsOff && !/\btests?\b/i.test(around.prompt);
  const found: Statement[] = [];
  for (const { name, from, to } of children(root)) {
    if (name === 'Comment' || name === 'ImportStatement') {
      continue;
    }
    const source = text.slice(from, to);
    const { reads, binds } = namesOfCell(source);
    const isNeeded = [...binds].some(bound => needs.has(bound));
    const shows = [...reads].some(read => needs.has(read) || tests.has(read));
    const isTest = testsItself && shows && isOwnTest(source, name);
    if (isTest) {
      binds.forEach(bound => tests.add(bound));
    }
    const kind: Kind | null = isNeeded
      ? null
      : checks.has(plain(source)) || (name === 'AssertStatement' && shows)
        ? 'check'
        : above.has(plain(source)) && binds.size > 0
          ? 'definition'
          : !own.has(plain(source)) &&
              (/^if\s+\(?\s*__name__\s*==/.test(source) ||
                isTest ||
                (showsOff && shows && isShow(source, defined)))
            ? 'example'
            : null;
    found.push({ kind, source, from, to, reads, binds });
  }
  leaveNothingUnbound(found);
  const left = found.flatMap(({ kind }) => kind ?? []);
  const leftOut = (Object.keys(WORDS) as Kind[])
    .flatMap(kind => {
      const { length } = left.filter(one => one === kind);
      const what = `${length} ${WORDS[kind]}`;
      return length === 0 ? [] : length > 1 ? `${what}s` : what;
    })
    .join(', ');
  if (left.length === 0 || left.length === found.length) {
    return left.includes('check') && /assert/i.test(code)
      ? { code: '', leftOut, endsBeyond: false }
      : { code, leftOut: '', endsBeyond: false };
  }
  const kept = [...found]
    .reverse()
    .reduce(
      (source, { kind, from, to }) =>
        kind === null
          ? source
          : source.slice(0, from).replace(/\n\s*$/, '\n') +
            source.slice(to).replace(/^[ \t;]*(?:#[^\n]*)?\n?/, ''),
      code
    )
    .replace(/(?:\n[ \t]*(?:#[^\n]*)?)+$/, '')
    .replace(/^\s*\n/, '');
  const { kind: last = null } = found.at(-1) ?? {};
  return {
    code: kept,
    endsBeyond:
      (last === 'check' || last === 'example') &&
      needs.size > 0 &&
      around.needs.every(name => defined.has(name)),
    leftOut
  };
}

/**
 * `D = f(x)`, a line of a check, goes only with the `print(D)` below it; where
 * more than that reads `D`, it stays.
 */
function leaveNothingUnbound(found: readonly Statement[]): void {
  for (const statement of [...found].reverse()) {
    const { kind, binds } = statement;
    if (kind === null || kind === 'definition') {
      continue;
    }
    const stay = found.filter(other => other.kind === null);
    const lost = [...binds].filter(name => !stay.some(s => s.binds.has(name)));
    const readers = stay.filter(({ reads }) => lost.some(n => reads.has(n)));
    if (readers.every(({ source }) => isPrint(source))) {
      readers.forEach(reader => (reader.kind = 'example'));
    } else {
      statement.kind = null;
    }
  }
}

/** A function with an assert, named as a test: `def check_mean(): assert mean([1]) == 1`. */
function isOwnTest(source: string, node: string): boolean {
  return (
    node === 'FunctionDefinition' &&
    /^(?:async +)?def +(?:_*(?:test|check|verify)\w*|\w+_test) *\(/.test(
      source
    ) &&
    /^\s+assert\b/m.test(source)
  );
}

function isPrint(source: string): boolean {
  return /^(?:print|display)\s*\(/.test(source);
}

/** `print(f(1))`, `f(1)`; not `app.register(f)`. */
function isShow(source: string, defined: ReadonlySet<string>): boolean {
  const [, callee = ''] = /^(\w+)\s*\(/.exec(source) ?? [];
  return isPrint(source) || defined.has(callee);
}

/** Of checks and cells above, which each line of an answer is compared with. */
const statementsOf = recent((source): readonly string[] => {
  const { root, text } = parsePython(source);
  return children(root).map(({ from, to }) => plain(text.slice(from, to)));
});

/** Without comments, blanks and messages of asserts, and with one kind of quotes. */
function plain(source: string): string {
  return source
    .replace(/^(\s*assert\s.+?),\s*f?(["']).*\2\s*$/gm, '$1')
    .replace(/(^|\s)#[^\n]*$/gm, '')
    .replace(/\s+/g, '')
    .replace(/'/g, '"');
}
