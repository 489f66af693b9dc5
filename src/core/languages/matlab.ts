import type { LanguageRecord } from './language';

export const matlab: LanguageRecord = {
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
