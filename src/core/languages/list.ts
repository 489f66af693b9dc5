/** The languages that something is known of. To add one: a record here, and its name in {@link RECORDS}. */
import { bash } from './bash';
import { GENERAL, type Language, type LanguageRecord } from './language';

const THROW = 'if (!(…)) throw new Error("…")';

/** What JavaScript and TypeScript share. */
const script = {
  comment: '//',
  statements: {
    comment: /\/\/.*$/,
    checks:
      /^(await\s+)?([\w$]+\.)*(assert\w*|expect|(not)?(deep)?(strict)?equal|match)\b|^(await\s+)?([\w$]+\.)+should\b|^Deno\.test\b|^(if|for|while)\b[^]*\b(throw|assert\w*|expect)\b/i,
    setsUp:
      /^(import|export|let|const|var|function|async\s+function|class|type|interface|enum|declare|\/\*|["']use\b|console\.(?!assert)|await\s+import)|^[\w.$[\]"']+\s*=(?!=)/
  },
  canary: 'throw new Error("canary")',
  checkWord: THROW,
  neverFails: [
    {
      // One that the cell itself replaces may throw.
      pattern: /^(?!console\.assert\s*=)[^]*\bconsole\.assert\s*\(/,
      what: 'console.assert()',
      instead: THROW
    },
    { pattern: /^Deno\.test\b/, what: 'Deno.test()', instead: THROW },
    {
      pattern:
        /^\(\s*async\b|^(?!await\b|[\w\s]*=)[\w$.]+\([^]*\)\s*\.then\s*\(/,
      what: '(async () => { … })()',
      instead: 'await (async () => { … })()'
    }
  ],
  isFailedCheck: name =>
    /^(Error|AssertionError|JestAssertionError)\b/.test(name),
  bindResponse: literal => `var response = ${literal};`
} satisfies Omit<LanguageRecord, 'ids'>;

const javascript: LanguageRecord = {
  ...script,
  ids: ['javascript'],
  name: 'JavaScript',
  fences: ['javascript', 'js', 'node', 'ecmascript']
};

const typescript: LanguageRecord = {
  ...script,
  ids: ['typescript'],
  name: 'TypeScript',
  fences: ['typescript', 'ts']
};

const julia: LanguageRecord = {
  ids: ['julia'],
  name: 'Julia',
  fences: ['julia', 'jl'],
  kernelFacts: ['Do not add packages.'],
  statements: {
    comment: /#.*$/,
    checks: /^@(assert|test\w*|testset)\b/,
    setsUp:
      /^(using|import|const|function|struct|mutable|macro|abstract|println?\b|Random\.seed!|[\w.[\]"':, ()]+\s*[-+*/]?=(?!=))/,
    opens:
      /\b(function|begin|if|for|while|let|struct|module|try|do|quote|macro)\b/g,
    closes: /\bend\b/g
  },
  canary: '@assert false',
  checkWord: '@assert',
  bindResponse: literal => `response = ${literal.replace(/\$/g, '\\$')}`
};

const matlab: LanguageRecord = {
  ids: ['matlab', 'octave'],
  statements: {
    comment: /[%#].*$/,
    checks:
      /^(assert|fail|validateattributes|verify\w+)\s*\(|^(if|for|while)\b[^]*\b(error|assert)\b/,
    setsUp:
      /^(function|pkg|clear|close|format|more|warning|rand|randn|disp|printf|fprintf|display|addpath|global|persistent)\b|^[\w.(){}[\]:, ~]+\s*[-+*/]?=(?!=)/,
    opens: /\b(if|for|parfor|while|do|switch|function|try|unwind_protect)\b/g,
    closes:
      /\b(end|endif|endfor|endparfor|endwhile|until|endswitch|endfunction|end_try_catch|end_unwind_protect)\b/g
  },
  canary: "error('canary')",
  checkWord: 'assert()',
  isFailedCheck: (_, message) => /\bassert\b/i.test(message),
  bindResponse: literal => `response = ${literal}`
};

const python: LanguageRecord = {
  ids: ['python'],
  name: 'Python',
  fences: ['python', 'py', 'python3', 'py3', 'ipython', 'ipython3', 'sage'],
  kernelFacts: ['Never call input(), and install no packages.'],
  codeLines: [
    /^(?:async\s+)?def\s+\w+\s*\(/,
    /^class\s+\w+\s*(?:\(.*\))?\s*:/,
    /^(?:import\s+[\w.]+(?:\s+as\s+\w+)?(?:\s*,\s*[\w.]+(?:\s+as\s+\w+)?)*|from\s+[\w.]+\s+import\s+.+)$/,
    /^(?:for\s+.+\s+in\s+.+|async\s+for\s+.+|if\s+.+|elif\s+.+|while\s+.+|(?:async\s+)?with\s+.+|except\b.*|match\s+.+|case\s+.+):\s*(?:#.*|\S.*)?$/,
    /^(?:try|else|finally)\s*:/,
    /^@[\w.]+(?:\(.*\))?$/,
    /^(?:assert|return|raise|del|global|nonlocal|yield|await|lambda)\s+\S/,
    /^[A-Za-z_][\w.]*(?:\[[^\]]*\])*(?:\s*,\s*[A-Za-z_][\w.]*)*\s*(?::\s*[\w.[\], |]+)?\s*(?:[-+*/%@&|^]|\*\*|\/\/|>>|<<)?=(?!=)\s*\S/,
    /^[A-Za-z_][\w.]*\(.*$/,
    /^%{1,2}[a-z]\w*/
  ],
  canary: 'assert False',
  checkWord: 'assert',
  bindResponse: literal => `response = ${literal}`
};

const r: LanguageRecord = {
  ids: ['r'],
  name: 'R',
  fences: ['r', 'ir', 'rscript', 'rlang'],
  kernelFacts: [
    'Every top-level value is printed.',
    'Do not install packages.'
  ],
  statements: {
    comment: /#.*$/,
    checks:
      /^(stopifnot|(testthat::)?(expect_\w+|test_that)|(assertthat::)?(assert_that|see_if)|(checkmate::)?assert\w*)\s*\(/,
    setsUp:
      /^([\w.$[\]"'@]+\s*(<<?-|=(?!=))|(library|require|suppress\w+|source|set\.seed|options|print|cat|message)\s*\()/
  },
  canary: 'stopifnot(FALSE)',
  checkWord: 'stopifnot()',
  // R's errors have no names; those that stopifnot and testthat raise name no call.
  isFailedCheck: (_, message) => /^(?!Error in ).+/.test(message),
  bindResponse: literal => `response <- ${literal}`
};

const RECORDS: readonly LanguageRecord[] = [
  bash,
  javascript,
  julia,
  matlab,
  python,
  r,
  typescript,
  {
    ids: ['c++'],
    name: 'C++',
    fences: ['c++', 'cpp', 'cxx'],
    comment: '//'
  },
  { ids: ['rust'], name: 'Rust', fences: ['rust', 'rs'], comment: '//' },
  // Known by their comments only.
  { ids: ['java', 'c', 'go', 'kotlin', 'scala'], comment: '//' },
  {
    // All of these interpolate `#{…}`, and nothing else.
    ids: ['ruby', 'crystal', 'elixir', 'coffeescript'],
    bindResponse: literal => `response = ${literal.replace(/#/g, '\\#')}`
  }
];

const known = new Map<string, Language>(
  RECORDS.flatMap(({ ids, ...record }) =>
    ids.map(id => [id, { ...GENERAL, ...record }] as const)
  )
);

/** @param id - as the kernel calls it, lower case. */
export function languageOf(id: string): Language {
  return known.get(id) ?? GENERAL;
}

/** As it is called in a prompt. */
export function languageName(id: string): string {
  return languageOf(id).name ?? id;
}
