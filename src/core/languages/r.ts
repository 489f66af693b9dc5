import type { LanguageRecord } from './language';

export const r: LanguageRecord = {
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
  isFailedCheck: (_, message) => /^Error: /.test(message),
  bindResponse: literal => `response <- ${literal}`
};
