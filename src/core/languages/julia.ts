import type { LanguageRecord } from './language';

export const julia: LanguageRecord = {
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
