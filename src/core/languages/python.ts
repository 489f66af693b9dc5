import type { LanguageRecord } from './language';

export const python: LanguageRecord = {
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
