import type { LanguageRecord } from './language';

const INSTEAD = 'if (!(…)) throw new Error("…")';

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
  checkWord: INSTEAD,
  neverFails: [
    {
      // One that the cell itself replaces may throw.
      pattern: /^(?!console\.assert\s*=)[^]*\bconsole\.assert\s*\(/,
      what: 'console.assert()',
      instead: INSTEAD
    },
    { pattern: /^Deno\.test\b/, what: 'Deno.test()', instead: INSTEAD },
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

export const javascript: LanguageRecord = {
  ...script,
  ids: ['javascript'],
  name: 'JavaScript',
  fences: ['javascript', 'js', 'node', 'ecmascript']
};

export const typescript: LanguageRecord = {
  ...script,
  ids: ['typescript'],
  name: 'TypeScript',
  fences: ['typescript', 'ts']
};
